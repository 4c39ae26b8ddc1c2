import BrokerAPI
public import FlowModel
import Foundation
public import OAuth

extension BrokerClient {
    /// Acquires a bearer token: from the cache, by renewal, or by a flow whose steps the handlers answer.
    ///
    /// - Parameter request: The request; a request id is added if it has none.
    /// - Returns: The token.
    /// - Throws: `BrokerError` if the broker refuses, ``ClientError`` with the flow if that ended without
    ///   success, or what a handler threw.
    public func acquireToken(_ request: AcquireRequest) async throws -> AcquiredToken {
        var request = request
        request.client = request.client ?? clientID
        request.requestID = request.requestID ?? FlowRunner.randomName()
        var left: Flow?
        asking: for _ in 0..<Self.mostTurns {
            let ended = await prompts.ended
            switch try await call(request) {
            case .token(let token):
                // The flow that another one made needless.
                if let left { _ = try? await call(FlowCancel(flow: left.id)) }
                return token
            case .flow(let flow, _):
                guard let end = try await FlowRunner(broker: self).turn(for: flow, since: ended) else {
                    left = flow
                    request.requestID = FlowRunner.randomName()
                    continue asking
                }
                if let token = end.token { return token }
                // Others may be signed in, too: the token is for the one who answered.
                request.account = request.account ?? end.account
                break asking
            }
        }
        // Another caller that waits for the same flow received its token; it is in the cache.
        request.prompt = .none
        request.forceRefresh = false
        request.requestID = FlowRunner.randomName()
        guard case .token(let token) = try await call(request) else {
            throw ClientError(.unreadableAnswer, .flowBegun)
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
        mode: AcquireRequest.Mode = .native,
        provider: String? = nil,
        loopbackPort: UInt16? = nil
    ) async throws -> Flow {
        let start = StartFlowRequest(
            policy: policy,
            input: input,
            account: account,
            mode: mode,
            loopbackPort: loopbackPort,
            provider: provider,
            requestID: FlowRunner.randomName()
        )
        return try await runFlow(try await call(start))
    }

    /// Continues a flow until it has ended with success.
    ///
    /// - Parameter flow: An open flow, for example from ``flows()``; it may be of another connection or from before a
    ///   restart.
    /// - Returns: The flow at its end.
    /// - Throws: ``ClientError`` with the flow if it ended in another way, or the error of a handler; the flow is then
    ///   cancelled, as it is when this task is.
    public func runFlow(_ flow: Flow) async throws -> Flow {
        for _ in 0..<Self.mostTurns {
            let ended = await prompts.ended
            if let end = try await FlowRunner(broker: self).turn(for: flow, since: ended) { return end.flow }
        }
        throw ClientError(.deadlinePassed, .noTurn, flow: flow)
    }

    /// The most flows of other calls that are waited for.
    private static let mostTurns = 32
}

/// The progress of a flow that a browser continues.
public enum BrowserProgress: Sendable {
    /// The flow waits at this place, until a time in milliseconds since 1970 UTC.
    case waits(BrowserPlace, until: Int64)
    /// A browser of another user, or of another machine, opened the link of the flow.
    case opened(LinkOpener)
    /// The flow has changed, and may have ended.
    case changed(Flow)
}
