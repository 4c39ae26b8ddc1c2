public import BrokerAPI
public import FlowModel
import Foundation
public import OAuth

extension BrokerClient {
    /// Acquires a bearer token: from the cache, by renewal, or by a flow whose steps the handlers answer.
    ///
    /// - Parameter request: The request; a request id is added if it has none.
    /// - Returns: The token.
    /// - Throws: ``BrokerAPI/BrokerError`` if the broker refuses, ``ClientError`` with the flow if that ended without
    ///   success, or what a handler threw.
    public func acquireToken(_ request: AcquireRequest) async throws -> AcquiredToken {
        var request = request
        request.client = request.client ?? clientID
        request.requestID = request.requestID ?? Self.randomName()
        switch try await call(request) {
        case .token(let token): return token
        case .flow(let flow, _):
            let end = try await FlowRunner(broker: self).finish(flow)
            if let token = end.token { return token }
            // Others may be signed in, too: the token is for the one who answered in the browser.
            request.account = request.account ?? end.flow.account
        }
        // Another caller that waits for the same flow received its token; it is in the cache.
        request.prompt = .none
        request.forceRefresh = false
        request.requestID = Self.randomName()
        guard case .token(let token) = try await call(request) else {
            throw ClientError(.unreadableAnswer, "the broker began a flow though it was asked not to")
        }
        return token
    }

    /// Acquires a bearer token that grants `scopes`.
    public func acquireToken(scopes: [String]) async throws -> AcquiredToken {
        try await acquireToken(AcquireRequest(scopes: scopes))
    }

    /// Runs a flow that results in a session: sign-up or sign-in.
    public func runFlow(
        policy: String,
        input: [String: JSONValue] = [:],
        account: String? = nil,
        mode: AcquireRequest.Mode = .native
    ) async throws -> FlowDocument {
        let start = StartFlowRequest(
            policy: policy,
            input: input,
            account: account,
            mode: mode,
            requestID: Self.randomName()
        )
        return try await runFlow(try await call(start).value)
    }

    /// Continues a flow until it has ended with success.
    ///
    /// - Parameter flow: An open flow, for example from ``flows()``; it may be of another connection or from before a
    ///   restart.
    /// - Returns: The flow at its end.
    /// - Throws: ``ClientError`` with the flow if it ended in another way, or the error of a handler; the flow is then
    ///   cancelled, as it is when this task is.
    public func runFlow(_ flow: FlowDocument) async throws -> FlowDocument {
        try await FlowRunner(broker: self).finish(flow).flow
    }

    /// Makes a request or submission id of random bits, a UUID.
    static func randomName() -> String { UUID().uuidString.lowercased() }
}
