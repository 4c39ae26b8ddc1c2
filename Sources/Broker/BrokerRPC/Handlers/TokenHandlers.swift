import Broker
import BrokerAPI
import FlowModel

extension MethodTable {
    static let tokens: [Method] = [
        .connected(AcquireRequest.self) { request, call in
            var asked = request
            asked.client = request.client ?? call.hello?.client
            switch try await call.broker.tokens.acquire(asked, caller: call.caller) {
            case .flow(let flow, let joined):
                return MethodResult(result: AcquireRequest.result(.flow(flow, joined: joined)))
            case .token(let token, let reuse):
                var result = MethodResult(result: AcquireRequest.result(.token(token)))
                if request.isAskedAgain, token.cached {
                    result.memo = .init(
                        account: token.account,
                        generation: reuse.generation,
                        usableUntil: reuse.until,
                        use: reuse.use
                    )
                }
                return result
            }
        },
        .anyone(TokenList.self) { request, call in
            try await call.broker.tokens.list(account: request.account, caller: call.caller)
        },
        .connected(TokenSubscribe.self) { request, call in
            let subscription = try await call.broker.tokens.subscribe(account: request.account, caller: call.caller)
            return MethodResult(result: TokenSubscribe.result(TokenSubscribe.Answer()), subscription: subscription)
        },
    ]
}

extension AcquireRequest {
    /// Whether the response to this request can be reused for a later request with the same parameters.
    var isAskedAgain: Bool {
        correlationID == nil && requestID == nil && !forceRefresh && (prompt == .auto || prompt == .none)
    }
}
