import NIOCore

/// Lets a listener accept until it is closed, whoever else asks it to go on.
final class EntranceHandler: ChannelOutboundHandler {
    typealias OutboundIn = Never

    private var isClosed = false

    /// Accepts nobody more; called on the listener's loop.
    func close() {
        isClosed = true
    }

    func read(context: ChannelHandlerContext) {
        guard !isClosed else { return }
        context.read()
    }
}
