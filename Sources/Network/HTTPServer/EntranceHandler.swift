import NIOCore

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
