import NIOCore
import Synchronization

/// A service's listeners, and the sockets that replace listeners whose socket files were removed.
final class HTTPListeners: Sendable {
    private typealias Listener = (socket: ListeningSocket, channel: any Channel)

    /// The replacement sockets that the service must serve.
    let replacements: AsyncStream<ListeningSocket>
    private let next: AsyncStream<ListeningSocket>.Continuation
    private let listeners = Mutex<[Listener]>([])

    init() {
        (replacements, next) = AsyncStream.makeStream()
    }

    func add(_ socket: ListeningSocket, _ channel: any Channel) {
        listeners.withLock { $0.append((socket, channel)) }
    }

    /// Whether the file of a socket was removed or replaced.
    var isGone: Bool { listeners.withLock { $0.contains { $0.socket.isGone } } }

    /// Replaces each socket whose file was removed.
    func restore() async throws(ListenError) {
        for listener in listeners.withLock({ $0.filter { $0.socket.isGone } }) {
            let socket = try ListeningSocket(listener.socket.address)
            listeners.withLock { $0.removeAll { $0.channel === listener.channel } }
            if case .terminated = next.yield(socket) { socket.close() }
            // New clients can no longer reach the old listener. Its open connections continue.
            try? await listener.channel.close()
        }
    }

    /// Ends ``replacements``.
    ///
    /// After this call, no socket is replaced.
    func close() { next.finish() }
}

/// Stops a listener from accepting connections after it is closed, even if another handler resumes reading.
final class EntranceHandler: ChannelOutboundHandler {
    typealias OutboundIn = Never

    private var isClosed = false

    /// Stops accepting connections.
    ///
    /// Call this on the listener's event loop.
    func close() {
        isClosed = true
    }

    func read(context: ChannelHandlerContext) {
        guard !isClosed else { return }
        context.read()
    }
}
