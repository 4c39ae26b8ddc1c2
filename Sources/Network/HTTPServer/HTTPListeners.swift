import NIOCore
import Synchronization

/// A service's listeners, and the sockets that replace listeners whose socket files were removed.
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
            // New clients can no longer reach the old listener. Its open connections continue.
            try? await listener.channel.close()
        }
    }

    func close() { next.finish() }
}

/// Stops a listener from accepting connections after ``close()``, even if another handler resumes reading.
final class EntranceHandler: ChannelOutboundHandler {
    typealias OutboundIn = Never

    private var isClosed = false

    /// Stops accepting connections (must be called on the listener's event loop).
    func close() {
        isClosed = true
    }

    func read(context: ChannelHandlerContext) {
        guard !isClosed else { return }
        context.read()
    }
}
