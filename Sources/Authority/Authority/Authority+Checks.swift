import Attempts
import AuthorityStore
public import FlowModel
import Moments
public import Policies
import StoreRefusals

extension Authority {
    /// Returns a check of `checks.yaml`.
    ///
    /// - Throws: `unknown_check`.
    public func check(_ name: String) throws(Refusal) -> Check {
        guard let check = catalogue()[check: name] else {
            throw Refusal(.unknownCheck, "there is no check of this name")
        }
        return check
    }

    /// Returns the first check over a credential, by whose rule it is enrolled.
    ///
    /// - Throws: `unknown_check`.
    public func check(over credential: Credential) throws(Refusal) -> Check {
        let catalogue = catalogue()
        let all = catalogue.order.lazy.compactMap { catalogue[check: $0] }
        guard let check = all.first(where: { $0.credential == credential }) else {
            throw Refusal(.unknownCheck, "no check asks for this credential")
        }
        return check
    }

    /// The requirement of a flow that asks a known person for checks, or changes a credential of theirs.
    ///
    /// - Parameters:
    ///   - names: The checks to ask for beside the sign-in's.
    ///   - change: The change to make.
    ///   - demand: The contexts and the age that the proofs must have.
    ///   - id: The policy of the flow.
    ///   - user: The person, who alone may answer.
    ///   - caller: The caller.
    /// - Returns: The requirement, which goes on from a session of the person if there is one and the change allows it.
    /// - Throws: `blocked`; `unmet_authentication_requirements` if no check reaches a context.
    public func requirement(
        checks names: [String],
        change: CredentialChange? = nil,
        demand: AuthenticationDemand = AuthenticationDemand(acrValues: [], maxAge: nil),
        policy id: PolicyID,
        user: UserID,
        _ caller: Caller
    ) async throws -> Requirement {
        try await Self.rows.storing {
            let catalogue = catalogue()
            let policy = try PolicyCheck.policy(id.description, settings: settings(), catalogue: catalogue)
            let client = try ClientCheck.client(nil, clients: try await memory.snapshot().clients)
            let asked = catalogue.ordered(policy.baseChecks + names)
            guard demand.isReached(by: asked.map(\.acr)) else {
                throw Refusal(.unmetAuthenticationRequirements, "what is asked reaches no such authentication context")
            }
            try await refuseIfBlocked(
                asked,
                policy: id,
                client: client.id,
                who: .user(user),
                user: user,
                caller
            )
            let rule = ProofRule(policy: policy, catalogue: catalogue)
            let signsInAnew = change?.signsInAnew == true
            let sessions = signsInAnew ? [] : try await store.sessions.live(owner: caller.owner, user: user)
            let session = sessions.first { rule.signInHolds($0.proofs, at: clock.now) }
            return Requirement(
                checks: catalogue.ordered(names).map(\.name),
                acrValues: demand.acrValues,
                maxAge: demand.maxAge,
                user: .user(user),
                session: session?.id,
                change: change,
                asksAnew: true
            )
        }
    }

    /// The state of a check for a person at the caller's owner: as a token of a client would be granted or refused.
    ///
    /// - Parameters:
    ///   - check: The check.
    ///   - id: The policy.
    ///   - client: The client that would ask for a token; nil for ``AuthoritySettings/defaultClient``.
    ///   - user: The person.
    ///   - caller: The caller.
    /// - Returns: The state.
    /// - Throws: `unknown_policy` if there is no such policy.
    public func status(
        of check: Check,
        policy id: PolicyID,
        client: String? = nil,
        user: UserID,
        _ caller: Caller
    ) async throws -> CheckStatus {
        let budget = try await attempts.status(
            check: CheckBudget(check),
            subject: .user(user),
            origin: caller.origin
        )
        if budget.refusal?.reason == .blocked {
            return CheckStatus(check: check.name, state: .blocked, retryAfterMs: budget.retryAfterMs)
        }
        return try await Self.rows.storing {
            let catalogue = catalogue()
            let policy = try PolicyCheck.policy(id.description, settings: settings(), catalogue: catalogue)
            let client = client ?? AuthoritySettings.defaultClient
            let rule = ProofRule(policy: policy, catalogue: catalogue, client: client)
            let now = clock.now
            let ends = try await store.sessions.live(owner: caller.owner, user: user)
                .filter { rule.holds(check.name, by: $0.proofs, at: now) }
                .map { rule.end(of: check.name, by: $0.proofs) ?? $0.ends.wall }
            guard let last = ends.max() else { return CheckStatus(check: check.name, state: .none) }
            return CheckStatus(check: check.name, state: .success, expiresAt: last)
        }
    }

    /// Ends a check, and every other over its credential, for a person at the caller's owner.
    public func logOut(_ check: Check, user: UserID, _ caller: Caller) async throws {
        try await Self.rows.storing {
            try await store.sessions.forgetProofs(
                over: check.credential,
                owner: caller.owner,
                user: user,
                events: [AuditEvent(.checkLoggedOut, by: caller, user: user, detail: ["check": check.name])]
            )
        }
    }

    /// The credentials that a person has enrolled at the caller's owner, and the authenticator, which counts everywhere.
    public func enrolled(_ user: UserID, _ caller: Caller) async throws -> [(credential: Credential, at: Int64)] {
        try await Self.rows.storing {
            let here = try await store.enrolments.list(of: user, at: caller.owner).map {
                (credential: $0.credential, at: $0.enrolledAt)
            }
            let authenticator = try await store.authenticators.find(user)
            return here + [authenticator].compactMap { $0.map { (credential: .totp, at: $0.enrolledAt) } }
        }
    }
}
