import NIOCore
import NIOHTTP1

/// Flushes several writes together, such as a request's head and body, to avoid sending them in separate packets.
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

/// The error for a response with an invalid status code (RFC 9110 §15).
public struct UnusableStatus: Error, Hashable, Sendable {
    /// The status code in the response.
    public let code: Int
}

/// Closes a connection after a status below 100, because `HTTPClient` would terminate the process.
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
