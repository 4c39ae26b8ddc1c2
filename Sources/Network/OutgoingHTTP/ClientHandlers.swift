import NIOCore
import NIOHTTP1

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

/// Failure of a server that answers with a status that there is not (RFC 9110 §15).
public struct UnusableStatus: Error, Hashable, Sendable {
    /// The number that it said.
    public let code: Int
}

/// Ends a connection whose server answers with a status below 100.
///
/// `HTTPClient` takes such an answer for one that is still to come, and ends the process at its end.
final class StatusGuard: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    private static let least = 100

    private var isOver = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        if case .head(let head) = unwrapInboundIn(data), head.status.code < Self.least {
            isOver = true
            context.fireErrorCaught(UnusableStatus(code: Int(head.status.code)))
            return context.close(promise: nil)
        }
        context.fireChannelRead(data)
    }
}
