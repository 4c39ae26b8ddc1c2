import HummingbirdCore
import Logging
import NIOCore
import OutgoingHTTP
import Synchronization

/// An accepted connection that is not being served yet.
///
/// The connection is closed completely before its task is cancelled, because NIO terminates the process if an accepted
/// connection is dropped, or if one half of it is closed before the event loop has registered it.
final class ArrivedConnection<Child: ServerChildChannel>: Sendable {
    private let child: Child
    private let logger: Logger
    private let waiting: Mutex<Child.Value?>

    init(_ value: Child.Value, of child: Child, logger: Logger) {
        self.child = child
        self.logger = logger
        waiting = Mutex(value)
    }

    deinit {
        guard let value = waiting.withLock({ $0 }) else { return }
        value.channel.close(promise: nil)
        let closing = Task { [child, logger] in await child.handle(value: value, logger: logger) }
        closing.cancel()
    }

    /// Serves the connection on its event loop until the connection ends.
    ///
    /// Further calls do nothing.
    func serve() async {
        let value = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        guard let value else { return }
        let channel = value.channel
        let serving = Task(executorPreference: LoopExecutor(channel.eventLoop)) { [child, logger] in
            await child.handle(value: value, logger: logger)
        }
        await withTaskCancellationHandler {
            await serving.value
        } onCancel: {
            if !channel.isActive { channel.close(promise: nil) }
            serving.cancel()
        }
    }
}
