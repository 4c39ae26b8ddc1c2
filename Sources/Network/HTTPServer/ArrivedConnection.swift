import HummingbirdCore
import Logging
import NIOCore
import OutgoingHTTP
import Synchronization

/// A connection on its way from the listener to the task that serves it.
///
/// NIO ends the process if a connection is forgotten that nobody has begun to serve, and if half of one is closed that
/// its loop has not registered yet. Both happen to those that arrive while a start is given up, so such a connection is
/// closed whole before the task that serves it is cancelled.
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

    /// Serves it to its end on its own event loop; a second call does nothing.
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
