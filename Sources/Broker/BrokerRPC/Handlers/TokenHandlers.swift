import Broker
import BrokerAPI
import FlowModel

extension AcquireRequest: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        switch try await acquire(from: broker, for: call) {
        case .token(let token, _): .token(token)
        case .flow(let flow, let joined): .flow(flow, joined: joined)
        }
    }

    func result(from broker: Broker, for call: Call) async throws -> MethodResult {
        switch try await acquire(from: broker, for: call) {
        case .flow(let flow, let joined):
            return MethodResult(result: Self.result(.flow(flow, joined: joined)))
        case .token(let token, let reuse):
            var result = MethodResult(result: Self.result(.token(token)))
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
        return try await broker.tokens.acquire(request, caller: call.caller)
    }
}

extension TokenList: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        try await broker.tokens.list(account: account, caller: call.caller)
    }
}

extension TokenSubscribe: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer { Answer() }

    func result(from broker: Broker, for call: Call) async throws -> MethodResult {
        let subscription = try await broker.tokens.subscribe(account: account, caller: call.caller)
        return MethodResult(result: Self.result(try await answer(from: broker, for: call)), subscription: subscription)
    }
}
