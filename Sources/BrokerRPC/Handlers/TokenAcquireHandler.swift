import Broker
import BrokerAPI
import OAuth

extension TokenAcquire: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        switch try await broker.acquire(request(call), caller: call.caller) {
        case .token(let token): .token(AcquiredToken(token))
        case .flow(let flow, let joined): .flow(FlowDocument(flow), joined: joined)
        }
    }

    func outcome(from broker: Broker, for call: Call) async throws -> Outcome {
        switch try await broker.acquire(request(call), caller: call.caller) {
        case .flow(let flow, let joined):
            return Outcome(result: Answer.flow(FlowDocument(flow), joined: joined).json)
        case .token(let token):
            var outcome = Outcome(result: Answer.token(AcquiredToken(token)).json)
            if isAskedAgain, token.cached {
                outcome.memo = .init(
                    account: token.account,
                    generation: token.generation,
                    usableUntil: token.usableUntil
                )
            }
            return outcome
        }
    }

    /// Whether the same parameters mean the same question again.
    var isAskedAgain: Bool {
        correlationID == nil && requestID == nil && !forceRefresh && (prompt == .auto || prompt == .none)
    }

    /// The request as the broker takes it.
    func request(_ call: Call) -> AcquireRequest {
        var request = AcquireRequest(scopes: scopes, correlationID: call.correlationID)
        request.policy = policy
        request.client = client ?? call.client
        request.additionalScopes = additionalScopes
        request.account = account
        if let user {
            request.user = .init(id: user.id, type: .init(rawValue: user.kind.rawValue) ?? .requiredDisplayableID)
        }
        request.resource = resource
        request.acrValues = acrValues
        request.maxAge = maxAge
        request.claims = claims.map(JSONValue.object)
        request.prompt = .init(rawValue: prompt.rawValue) ?? .auto
        request.mode = .init(rawValue: mode.rawValue) ?? .native
        request.provider = provider
        if !providerToken.isEmpty {
            request.providerToken = .object(providerToken.mapValues { .string($0.reveal()) })
        }
        request.minValidityMs = minValidityMs
        request.forceRefresh = forceRefresh
        request.extraQueryParameters = extraQueryParameters
        request.requestID = requestID
        return request
    }
}

extension AcquiredToken {
    init(_ answer: TokenAnswer) {
        self.init(
            accessToken: answer.accessToken,
            expiresAt: answer.expiresAt,
            scopes: answer.scopes,
            account: answer.account,
            username: answer.username,
            acr: answer.acr,
            amr: answer.amr,
            authTime: answer.authTime,
            claims: answer.claims,
            policy: answer.policy,
            correlationID: answer.correlationID.description,
            fromCache: answer.fromCache,
            cached: answer.cached
        )
    }
}
