import BrokerAPI
import NIOCore
import OAuth

/// Delivers each response to the call that is waiting for it.
final class AnswerHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private struct Waiting {
        let outcome: CallOutcome<JSONRPCResponse>
        let timer: Scheduled<Void>
    }

    private var framer = LineFramer(limit: LineFramer.responseLimit)
    private var waiting: [Int64: Waiting] = [:]
    private var isOver: ClientError?
    private var notified: Notified?

    /// A function that receives every notification and, at the end, the error that ended the connection.
    typealias Notified = @Sendable (Result<JSONRPCRequest, ClientError>) -> Void

    static let disconnected = ClientError(.disconnected, .endedEarly)

    /// Completes `outcome` with the response to the request `id`, or with an error when `deadline` has passed.
    func await(
        _ id: Int64,
        _ outcome: CallOutcome<JSONRPCResponse>,
        deadline: TimeAmount,
        on channel: any Channel
    ) {
        if isOver != nil || !channel.isActive {
            outcome.finish(.failure(isOver ?? Self.disconnected))
            return
        }
        let home = NIOLoopBound(self, eventLoop: channel.eventLoop)
        let timer = channel.eventLoop.scheduleTask(in: deadline) {
            home.value.waiting[id] = nil
            outcome.finish(.failure(ClientError(.deadlinePassed, .tooSlow)))
        }
        waiting[id] = Waiting(outcome: outcome, timer: timer)
    }

    func follow(_ notified: @escaping Notified) {
        if let isOver { notified(.failure(isOver)) } else { self.notified = notified }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        framer.append(unwrapInboundIn(data))
        while let frame = framer.next() {
            guard case .line(let line) = frame, let value = try? StrictJSON.parse(line.readableBytesView) else {
                return refuse(context)
            }
            if let response = JSONRPCResponse(value) {
                take(response, context)
            } else if let notification = try? JSONRPCRequest(value), notification.id == nil {
                notified?(.success(notification))
            } else {
                return refuse(context)
            }
        }
    }

    private func refuse(_ context: ChannelHandlerContext) {
        end(ClientError(.unreadableAnswer, .notAResponse))
        context.close(promise: nil)
    }

    private func take(_ response: JSONRPCResponse, _ context: ChannelHandlerContext) {
        switch response.id {
        case .number(let number):
            guard let id = Int64(number), let waiting = waiting.removeValue(forKey: id) else { return }
            waiting.timer.cancel()
            waiting.outcome.finish(.success(response))
        case .null, .string:
            // Deliver an error of the connection itself, such as a rejected uid, to all waiting calls.
            for (_, waiting) in waiting {
                waiting.timer.cancel()
                waiting.outcome.finish(.success(response))
            }
            waiting = [:]
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(Self.disconnected)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func end(_ error: ClientError) {
        isOver = isOver ?? error
        notified?(.failure(error))
        notified = nil
        for (_, waiting) in waiting {
            waiting.timer.cancel()
            waiting.outcome.finish(.failure(error))
        }
        waiting = [:]
    }
}
