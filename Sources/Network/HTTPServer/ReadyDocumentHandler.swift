import NIOCore
import NIOHTTP1

/// Responds to requests for prepared documents on the connection's event loop, without starting a task.
///
/// To keep the order of responses, it passes requests to the next handler while an earlier request is processed. It
/// also does so while the client is not reading its responses, and after a shutdown has started.
final class ReadyDocumentHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// The event that this handler fires after it has responded to a request.
    struct Answered: Sendable {}

    private let answer: (HTTPRequestHead) -> ReadyAnswers.Answer?
    /// The number of requests that were passed to the next handler and whose responses are not complete.
    private var requests = 0
    /// The response to send when the end of the current request arrives, or `nil` if there is none.
    private var ready: ReadyAnswers.Answer?
    private var isEnding = false
    private var isUnflushed = false

    /// - Parameter answer: Returns the response to a request without a body, or `nil` to pass the request on.
    init(answer: @escaping (HTTPRequestHead) -> ReadyAnswers.Answer?) {
        self.answer = answer
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            if requests == 0, !isEnding, context.channel.isWritable { ready = answer(head) }
            guard ready == nil else { return }
            requests += 1
            context.fireChannelRead(data)
        case .body: context.fireChannelRead(data)
        case .end:
            guard let answer = ready else { return context.fireChannelRead(data) }
            ready = nil
            context.write(wrapOutboundOut(.head(answer.head)), promise: nil)
            context.write(wrapOutboundOut(.body(.byteBuffer(answer.body))), promise: nil)
            context.write(wrapOutboundOut(.end(nil)), promise: nil)
            isUnflushed = true
            context.fireUserInboundEventTriggered(Answered())
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if isUnflushed {
            isUnflushed = false
            context.flush()
        }
        context.fireChannelReadComplete()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { requests -= 1 }
        context.write(data, promise: promise)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent { isEnding = true }
        context.fireUserInboundEventTriggered(event)
    }
}
