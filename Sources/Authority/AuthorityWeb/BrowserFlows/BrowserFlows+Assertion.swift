public import Authority
import AuthorityStore
import FlowModel
import Flows
import Moments
import OAuth
import OpenIDClient

extension BrowserFlows {
    /// Signs in a user with an assertion or token, or returns `nil` if it is rejected or the policy requires more.
    ///
    /// - Throws: `Refusal`.
    public func signIn(_ signIn: AssertedSignIn) async throws -> IssuedTokens? {
        let owner = Browser.fresh
        let caller = Caller(owner: owner, origin: signIn.origin, correlationID: signIn.correlationID)
        let request = signIn.request
        guard
            case .lacking(let requirement, let pending) = try await authority.decide(
                request,
                for: nil,
                prompt: .login,
                caller
            )
        else { return nil }
        let proof: Proof
        switch signIn.statement {
        case .assertion(let assertion): proof = .assertion(assertion)
        case .token(let provider, let kind, let token):
            proof = .token(provider, try BroughtToken([kind: token]))
            try shares.admit(signIn.origin, at: clock.now.wall)
        }
        let started = try await flows.start(
            FlowRequest(
                caller: caller,
                client: request.client,
                policy: request.policy,
                requirement: requirement,
                want: Flow.Want(scopes: request.scopes),
                pending: pending,
                leavesSession: false,
                provider: proof.provider,
                token: proof.token
            )
        )
        if proof.token != nil {
            let begun = FlowShares.Begun(flow: started.flow.id, owner: owner, at: clock.now.wall)
            _ = shares.note(begun, from: signIn.origin)
        }
        do {
            if let issued = try await tokens(of: started, by: proof, caller) { return issued }
            try await cancel(started.flow, caller)
            return nil
        } catch {
            try await cancel(started.flow, caller)
            throw error
        }
    }

    private enum Proof {
        case assertion(Secret)
        case token(String, BroughtToken)

        var provider: String? {
            switch self {
            case .assertion: nil
            case .token(let provider, _): provider
            }
        }

        var token: BroughtToken? {
            switch self {
            case .assertion: nil
            case .token(_, let token): token
            }
        }
    }

    private func cancel(_ flow: Flow, _ caller: Caller) async throws {
        _ = try await flows.cancel(flow.id, caller: caller, reason: "not signed in by the statement")
    }

    private func tokens(of started: Started, by proof: Proof, _ caller: Caller) async throws -> IssuedTokens? {
        let finished: FlowOutcome?
        switch proof {
        case .assertion(let assertion): finished = try await answered(started.flow, by: assertion, caller)
        case .token: finished = started.finished
        }
        guard let pending = finished?.pendingRequest else { return nil }
        return try await authority.issue(pending: pending, caller)
    }

    private func answered(_ flow: Flow, by assertion: Secret, _ caller: Caller) async throws -> FlowOutcome? {
        guard let step = flow.step, step.type == .assertion, let node = step.nodes.first else { return nil }
        let submission = FlowSubmission(
            flow: flow.id,
            step: step.id,
            submissionID: "assertion",
            answers: [node.name: .string(assertion.reveal())]
        )
        let result: SubmissionResult
        do {
            result = try await flows.submit(submission, caller: caller)
        } catch let refusal as Refusal where refusal.reason == .invalidAnswer {
            return nil
        }
        return result.finished
    }
}
