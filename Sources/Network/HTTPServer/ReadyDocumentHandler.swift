import NIOCore
import NIOHTTP1

/// Answers requests for ready documents on the connection's loop, without a task.
///
/// Answers keep the order of their requests, so one that comes while another is still worked on goes the way of all; so
/// does one of a client that reads no answers, and one that comes after the shutdown began.
final class ReadyDocumentHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// An event: a request was answered here, and the next one is awaited.
    struct Answered: Sendable {}

    private let answer: (HTTPRequestHead) -> ReadyAnswers.Answer?
    /// The number of requests that were passed on and are not answered yet.
    private var requests = 0
    /// The answer to the request of which the end is still to come.
    private var ready: ReadyAnswers.Answer?
    private var isEnding = false
    private var isUnflushed = false

    /// - Parameter answer: Returns the answer to a request without a body; nil if it is to be passed on.
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
