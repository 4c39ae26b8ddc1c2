import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Keeps a connection open for one more request during shutdown, because the client cannot know about the shutdown.
///
/// The response announces that the connection will be closed (RFC 9112 §9.6).
final class LastRequestHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let limit: TimeAmount
    private var requests = 0
    private var isEnding = false
    /// The scheduled task that passes the delayed quiescing event to the next handlers.
    private var held: Scheduled<Void>?

    /// Creates a handler that keeps the connection open for `limit` during shutdown if no further request arrives.
    init(limit: TimeAmount) {
        self.limit = limit
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is ChannelShouldQuiesceEvent, !isEnding else { return context.fireUserInboundEventTriggered(event) }
        isEnding = true
        guard requests == 0 else { return context.fireUserInboundEventTriggered(event) }
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        held = context.eventLoop.scheduleTask(in: limit) {
            bound.value.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        requests += 1
        context.fireChannelRead(data)
        guard let end = held else { return }
        held = nil
        end.cancel()
        context.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head) where isEnding && head.status.kind != .informational:
            head.headerFields[.connection] = "close"
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end:
            requests -= 1
            context.write(data, promise: promise)
        default:
            context.write(data, promise: promise)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        held?.cancel()
    }

    func channelInactive(context: ChannelHandlerContext) {
        held?.cancel()
        context.fireChannelInactive()
    }
}
