import Authority
public import FlowModel
import Flows
import Moments
public import OAuth
import Policies
import TokenCache

extension Broker {
    /// Starts a flow that leaves a session and no token.
    public func startFlow(_ request: StartFlowRequest, caller: Caller) async throws -> Flow {
        let asker = caller.asker(request.correlationID)
        var user: UserID?
        if let id = request.account {
            user = UserID(oid: try row(id, caller).subject)
        }
        try await finishSignOuts(of: caller.owner.uid)
        let policy = try authority.policy(request.policy)
        let requirement = try await authority.requirement(
            policy: policy,
            user: user,
            acrValues: request.acrValues,
            maxAge: request.maxAge,
            asker
        )
        let started = try await flows.start(
            FlowRequest(
                owner: caller.owner,
                client: AuthoritySettings.defaultClient,
                policy: policy,
                requirement: requirement,
                want: Flow.Want(acrValues: request.acrValues, maxAge: request.maxAge),
                requestID: request.requestID,
                asked: request.asked,
                prefill: request.input,
                pid: caller.pid,
                correlation: request.correlationID
            )
        )
        return started.flow
    }

    /// Evaluates answers; the one that ends a flow of `token.acquire` brings the token.
    public func submit(_ request: SubmitRequest, caller: Caller) async throws -> SubmitAnswer {
        let signOuts = try Self.storing { try cache.signOutGeneration(uid: caller.owner.uid) }
        let result = try await flows.submit(
            FlowSubmission(
                flow: request.flow,
                owner: caller.owner,
                step: request.step,
                submissionID: request.submissionID,
                answers: request.answers,
                pid: caller.pid,
                correlation: request.correlationID
            )
        )
        return try await answer(result, request.correlationID, caller, signOuts: signOuts)
    }

    /// Does something instead of answering.
    public func act(_ request: ActionRequest, caller: Caller) async throws -> SubmitAnswer {
        let signOuts = try Self.storing { try cache.signOutGeneration(uid: caller.owner.uid) }
        let result = try await flows.act(
            FlowAction(
                flow: request.flow,
                owner: caller.owner,
                step: request.step,
                action: request.action,
                submissionID: request.submissionID,
                pid: caller.pid,
                correlation: request.correlationID
            )
        )
        return try await answer(result, request.correlationID, caller, signOuts: signOuts)
    }

    /// A flow as it is.
    public func getFlow(_ id: String, caller: Caller) async throws -> Flow {
        try await flows.get(id, owner: caller.owner)
    }

    /// A flow when it has changed, or when `timeout` is over.
    public func waitFlow(_ id: String, sinceRev: Int, timeout: Duration, caller: Caller) async throws -> Flow {
        try await flows.wait(id, owner: caller.owner, sinceRev: sinceRev, timeout: timeout)
    }

    /// The open flows, without steps.
    public func listFlows(caller: Caller) async throws -> [Flow] {
        try await flows.list(owner: caller.owner)
    }

    /// Ends a flow.
    public func cancelFlow(
        _ id: String,
        reason: String?,
        correlationID: CorrelationID,
        caller: Caller
    ) async throws -> Flow {
        try await flows.cancel(id, owner: caller.owner, reason: reason, pid: caller.pid, correlation: correlationID)
    }

    private func answer(
        _ result: SubmissionResult,
        _ correlation: CorrelationID,
        _ caller: Caller,
        signOuts: Int64
    ) async throws -> SubmitAnswer {
        var token: AcquiredToken?
        if let finished = result.finished {
            token = try await take(finished, caller.asker(correlation), signOuts: signOuts)
        }
        return SubmitAnswer(flow: result.flow, verdict: result.verdict, token: token)
    }

    /// Turns the end of a flow into an account, and into a token where one was asked for.
    private func take(_ finished: Finished, _ asker: Asker, signOuts: Int64) async throws -> AcquiredToken? {
        let uid = asker.owner.uid
        do {
            guard let pending = finished.pendingRequest else {
                let user = UserSummary(
                    id: finished.user,
                    username: finished.username,
                    displayName: finished.displayName ?? finished.username
                )
                _ = try await keep(user, policy: finished.policy.description, uid: uid, signOuts: signOuts)
                return nil
            }
            guard let issued = try await authority.issue(pending: pending, asker) else {
                // The same answer again: the token was given before and is in the cache.
                return nil
            }
            let row = try await keep(issued, asker, signOuts: signOuts)
            return AcquiredToken(row, correlationID: asker.correlation, fromCache: false)
        } catch let refusal as Refusal where refusal.reason == .interactionRequired {
            // Signed out while the answer was looked at: what the flow has left goes, too.
            let account = cache.accountID(uid: uid, authority: Self.localAuthority, subject: finished.user.oid)
            if try Self.storing({ try cache.isSignedOut(uid: uid, account: account, since: signOuts) }) {
                _ = try await authority.signOut(user: finished.user, asker)
            }
            throw refusal
        }
    }
}
