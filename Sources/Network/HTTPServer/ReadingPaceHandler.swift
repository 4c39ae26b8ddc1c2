import NIOCore
import Systemd

/// Closes the connection if the client reads too slowly (``ReadingPace``), and reports when more bytes can be written.
///
/// This handler is the first in the pipeline, next to the socket, so that it knows how many bytes have been sent.
final class ReadingPaceHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = Any
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private var pace: ReadingPace
    private let close: () -> Void
    /// The number of bytes that were written to the channel, including bytes that the channel has not sent yet.
    private var written = 0
    private var look: Scheduled<Void>?
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Creates a handler that calls `close` before it closes the connection of a slow client.
    init(pace: ReadingPace, close: @escaping () -> Void) {
        self.pace = pace
        self.close = close
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        written += unwrapOutboundIn(data).readableBytes
        context.write(data, promise: promise)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        let now = context.eventLoop.now.uptimeNanoseconds
        if context.channel.isWritable {
            pace.endWaiting(at: now, taken: taken(context))
            proceed()
        } else {
            pace.beginWaiting(at: now, taken: taken(context))
            if look == nil { lookLater(context) }
        }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end()
    }

    /// Waits until the client has read almost all written bytes, or until the connection has ended.
    static func untilRoom(_ channel: any Channel) async throws {
        guard !channel.isWritable, channel.isActive else { return }
        let handler = try await channel.eventLoop.submit {
            NIOLoopBound(
                try channel.pipeline.syncOperations.handler(type: ReadingPaceHandler.self),
                eventLoop: channel.eventLoop
            )
        }.get()
        await withCheckedContinuation { (proceed: CheckedContinuation<Void, Never>) in
            channel.eventLoop.execute {
                if channel.isWritable || !channel.isActive { return proceed.resume() }
                handler.value.waiting.append(proceed)
            }
        }
    }

    private func taken(_ context: ChannelHandlerContext) -> Int {
        written - ((try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0)
    }

    private func lookLater(_ context: ChannelHandlerContext) {
        guard let deadline = pace.deadline else { return }
        look = context.eventLoop.assumeIsolated().scheduleTask(deadline: .uptimeNanoseconds(deadline)) { [self] in
            look = nil
            guard pace.isTooSlow(at: context.eventLoop.now.uptimeNanoseconds, taken: taken(context)) else {
                return lookLater(context)
            }
            close()
            context.channel.close(promise: nil)
        }
    }

    private func proceed() {
        let waiting = waiting
        self.waiting = []
        for continuation in waiting { continuation.resume() }
    }

    private func end() {
        look?.cancel()
        look = nil
        proceed()
    }
}
