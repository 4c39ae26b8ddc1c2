import NIOCore
import Synchronization

/// The listeners of a service, and the new sockets that replace listeners whose socket files were removed.
final class HTTPListeners: Sendable {
    private typealias Listener = (socket: ListeningSocket, channel: any Channel)

    let replacements: AsyncStream<ListeningSocket>
    private let next: AsyncStream<ListeningSocket>.Continuation
    private let listeners = Mutex<[Listener]>([])

    init() {
        (replacements, next) = AsyncStream.makeStream()
    }

    func add(_ socket: ListeningSocket, _ channel: any Channel) {
        listeners.withLock { $0.append((socket, channel)) }
    }

    var isGone: Bool { listeners.withLock { $0.contains { $0.socket.isGone } } }

    func restore() async throws(ListenError) {
        for listener in listeners.withLock({ $0.filter { $0.socket.isGone } }) {
            let socket = try ListeningSocket(listener.socket.address)
            listeners.withLock { $0.removeAll { $0.channel === listener.channel } }
            if case .terminated = next.yield(socket) { socket.close() }
            // Closing the listener does not affect connections that it has already accepted.
            try? await listener.channel.close()
        }
    }

    func close() { next.finish() }
}

/// Prevents a listener from accepting connections after a call to ``close()``, even if another handler resumes reading.
final class EntranceHandler: ChannelOutboundHandler {
    typealias OutboundIn = Never

    private var isClosed = false

    /// Stops the listener from accepting connections, and must be called on the listener's event loop.
    func close() {
        isClosed = true
    }

    func read(context: ChannelHandlerContext) {
        guard !isClosed else { return }
        context.read()
    }
}
