import BrokerAPI
public import FlowModel
import Foundation
public import OAuth

extension BrokerClient {
    /// Acquires a bearer token from the cache, by renewal, or by running a flow whose steps the handlers answer.
    ///
    /// - Throws: `BrokerError` if the broker refuses the request, ``ClientError`` that contains the flow if the flow
    ///   did not succeed, or the error that a handler threw.
    public func acquireToken(_ request: AcquireRequest) async throws -> AcquiredToken {
        var request = request
        request.client = request.client ?? clientID
        request.requestID = request.requestID ?? FlowRunner.randomName()
        var left: Flow?
        asking: for _ in 0..<Self.mostTurns {
            let ended = await prompts.ended
            switch try await call(request) {
            case .token(let token):
                // The flow that an earlier iteration of this loop left open is no longer needed.
                if let left { _ = try? await call(FlowCancel(flow: left.id)) }
                return token
            case .flow(let flow, _):
                guard let end = try await FlowRunner(broker: self).turn(for: flow, since: ended) else {
                    left = flow
                    request.requestID = FlowRunner.randomName()
                    continue asking
                }
                if let token = end.token { return token }
                // Several users might be signed in, so request the token for the user who answered the flow's steps.
                request.account = request.account ?? end.account
                break asking
            }
        }
        // Another call that waited for the same flow has received the token, so the token is now in the cache.
        request.prompt = .none
        request.forceRefresh = false
        request.requestID = FlowRunner.randomName()
        guard case .token(let token) = try await call(request) else {
            throw ClientError(.unreadableAnswer, .flowBegun)
        }
        return token
    }

    /// Acquires a bearer token for `scopes`.
    public func acquireToken(scopes: [String]) async throws -> AcquiredToken {
        try await acquireToken(AcquireRequest(scopes: scopes))
    }

    /// Runs a flow that creates a session, such as a sign-up or a sign-in.
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

    /// Continues an open flow until the flow succeeds.
    ///
    /// The flow can have been started over another connection. It is cancelled if a handler throws an error or the
    /// current task is cancelled.
    ///
    /// - Throws: ``ClientError`` that contains the flow if the flow did not succeed, or the error that a handler threw.
    public func runFlow(_ flow: Flow) async throws -> Flow {
        for _ in 0..<Self.mostTurns {
            let ended = await prompts.ended
            if let end = try await FlowRunner(broker: self).turn(for: flow, since: ended) { return end.flow }
        }
        throw ClientError(.deadlinePassed, .noTurn, flow: flow)
    }

    /// The maximum number of times that a call waits for another flow.
    private static let mostTurns = 32
}

/// The progress of a flow that is continued in a browser.
public enum BrowserProgress: Sendable {
    /// The flow waits for the user to open a page, until the given time in milliseconds since 1970 UTC.
    case waits(BrowserPlace, until: Int64)
    /// The link to the flow was opened in another user's browser or on another machine.
    case opened(LinkOpener)
    case changed(Flow)
}
