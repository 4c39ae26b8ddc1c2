import NIOCore

/// Responds to the only request on a connection as soon as the request's head is complete.
final class LoopbackHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    static let patience = TimeAmount.seconds(5)

    private let places: LoopbackPlaces
    private var head: [UInt8] = []
    private var isAnswered = false
    private var end: Scheduled<Void>?

    init(_ places: LoopbackPlaces) {
        self.places = places
    }

    func channelActive(context: ChannelHandlerContext) {
        let channel = context.channel
        end = context.eventLoop.scheduleTask(in: Self.patience) { channel.close(promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) { end?.cancel() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // Unread data would reset the connection and lose the response, so further data is read and discarded.
        guard !isAnswered else { return }
        head += unwrapInboundIn(data).readableBytesView
        if let end = head.firstRange(of: Array("\r\n\r\n".utf8)), end.lowerBound <= LoopbackRequest.longestHead {
            answer(places.answer(to: Array(head[..<end.lowerBound])), context)
        } else if head.count > LoopbackRequest.longestHead {
            answer(LoopbackReply.bytes(431), context)
        }
    }

    private func answer(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
        isAnswered = true
        head = []
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes))).whenComplete { _ in
            channel.close(mode: .output, promise: nil)
        }
    }
}
