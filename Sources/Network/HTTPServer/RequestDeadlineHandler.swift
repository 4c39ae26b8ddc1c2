import NIOCore
import NIOHTTPTypes

/// Closes a connection if its next request does not arrive completely in time, even if some bytes keep arriving.
final class RequestDeadlineHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let limit: TimeAmount
    private let places: RequestPlaces
    private var place: RequestPlaces.Place?
    /// The deadline for the next request, or `nil` while a request is being processed.
    private var deadline: NIODeadline?
    /// The task that checks whether ``deadline`` has passed, which stays scheduled when the deadline changes.
    private var look: Scheduled<Void>?

    init(limit: TimeAmount, places: RequestPlaces) {
        self.limit = limit
        self.places = places
    }

    func handlerAdded(context: ChannelHandlerContext) {
        place = places.enter(context.channel)
        restart(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        leave()
    }

    func channelInactive(context: ChannelHandlerContext) {
        leave()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: restart(context)
        case .end:
            deadline = nil
            place?.isAnswering()
        case .body: break
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) {
            place?.isWaiting()
            restart(context)
        }
        context.write(data, promise: promise)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is ReadyDocumentHandler.Answered else { return context.fireUserInboundEventTriggered(event) }
        place?.isWaiting()
        restart(context)
    }

    private func leave() {
        look?.cancel()
        look = nil
        deadline = nil
        if let place { places.leave(place) }
        place = nil
    }

    private func restart(_ context: ChannelHandlerContext) {
        let end = context.eventLoop.now + limit
        deadline = end
        if look == nil { lookAgain(context, at: end) }
    }

    private func lookAgain(_ context: ChannelHandlerContext, at time: NIODeadline) {
        look = context.eventLoop.assumeIsolated().scheduleTask(deadline: time) { [self] in
            look = nil
            guard let deadline else { return }
            if deadline > context.eventLoop.now { return lookAgain(context, at: deadline) }
            context.channel.close(promise: nil)
        }
    }
}
