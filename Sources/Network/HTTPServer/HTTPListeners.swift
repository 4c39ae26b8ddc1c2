import NIOCore
import Synchronization

/// The listeners of a service, and the sockets that replace those whose files were removed.
final class HTTPListeners: Sendable {
    private typealias Listener = (socket: ListeningSocket, channel: any Channel)

    /// Replacement sockets that are to be served.
    let replacements: AsyncStream<ListeningSocket>
    private let next: AsyncStream<ListeningSocket>.Continuation
    private let listeners = Mutex<[Listener]>([])

    init() {
        (replacements, next) = AsyncStream.makeStream()
    }

    func add(_ socket: ListeningSocket, _ channel: any Channel) {
        listeners.withLock { $0.append((socket, channel)) }
    }

    /// True if the file of a socket was removed or replaced.
    var isGone: Bool { listeners.withLock { $0.contains { $0.socket.isGone } } }

    /// Replaces each socket whose file is gone.
    func restore() async throws(ListenError) {
        for listener in listeners.withLock({ $0.filter { $0.socket.isGone } }) {
            let socket = try ListeningSocket(listener.socket.address)
            listeners.withLock { $0.removeAll { $0.channel === listener.channel } }
            if case .terminated = next.yield(socket) { socket.close() }
            // New clients cannot reach it any more; its open connections stay.
            try? await listener.channel.close()
        }
    }

    /// Ends ``replacements``: from now on no socket is replaced.
    func close() { next.finish() }
}

/// Stops a listener from accepting once it is closed, whichever handler asks it to go on.
final class EntranceHandler: ChannelOutboundHandler {
    typealias OutboundIn = Never

    private var isClosed = false

    /// Stops accepting; called on the listener's loop.
    func close() {
        isClosed = true
    }

    func read(context: ChannelHandlerContext) {
        guard !isClosed else { return }
        context.read()
    }
}
