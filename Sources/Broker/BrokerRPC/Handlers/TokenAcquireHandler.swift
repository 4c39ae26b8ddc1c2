import Broker
import BrokerAPI
import FlowModel

extension AcquireRequest: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        switch try await acquire(from: broker, for: call) {
        case .token(let token, _): .token(token)
        case .flow(let flow, let joined): .flow(FlowDocument(flow), joined: joined)
        }
    }

    func result(from broker: Broker, for call: Call) async throws -> MethodResult {
        switch try await acquire(from: broker, for: call) {
        case .flow(let flow, let joined):
            return MethodResult(result: Answer.flow(FlowDocument(flow), joined: joined).json)
        case .token(let token, let reuse):
            var result = MethodResult(result: Answer.token(token).json)
            if isAskedAgain, token.cached {
                result.memo = .init(
                    account: token.account,
                    generation: reuse.generation,
                    usableUntil: reuse.until,
                    use: reuse.use
                )
            }
            return result
        }
    }

    /// True if repeating the same parameters is the same request.
    var isAskedAgain: Bool {
        correlationID == nil && requestID == nil && !forceRefresh && (prompt == .auto || prompt == .none)
    }

    private func acquire(from broker: Broker, for call: Call) async throws -> AcquireAnswer {
        var request = self
        request.client = client ?? call.hello?.client
        return try await broker.acquire(request, caller: call.caller)
    }
}
