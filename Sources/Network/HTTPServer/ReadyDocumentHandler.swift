import NIOCore
import NIOHTTP1

/// Responds to requests for prepared documents on the connection's event loop, without a task.
///
/// Responses must be sent in the order of their requests. A request is therefore processed normally while another is
/// being processed, while the client is not reading its responses, and after shutdown has started.
final class ReadyDocumentHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// The event that reports that this handler has responded to a request and expects the next one.
    struct Answered: Sendable {}

    private let answer: (HTTPRequestHead) -> ReadyAnswers.Answer?
    /// The number of requests that were passed to the next handler and have no response yet.
    private var requests = 0
    /// The response to a request whose end has not arrived yet, or `nil` if there is none.
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
