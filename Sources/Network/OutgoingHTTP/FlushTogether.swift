import NIOCore

/// Sends at once what is written in one go, such as the head of a request and its body.
///
/// They would be two packets otherwise, and the server would be woken for each of them.
final class FlushTogether: ChannelOutboundHandler {
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private var isDue = false

    func flush(context: ChannelHandlerContext) {
        guard !isDue else { return }
        isDue = true
        context.eventLoop.assumeIsolated().execute { self.flushNow(context) }
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        flushNow(context)
        context.close(mode: mode, promise: promise)
    }

    func handlerRemoved(context: ChannelHandlerContext) { isDue = false }

    private func flushNow(_ context: ChannelHandlerContext) {
        guard isDue else { return }
        isDue = false
        context.flush()
    }
}
