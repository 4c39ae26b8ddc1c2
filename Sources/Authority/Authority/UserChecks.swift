import Attempts
import AuthorityStore
public import FlowModel
import Moments
public import Policies
import StoreRefusals

/// The checks of users at an authority: what a flow must ask for, what was passed, what is enrolled.
public struct UserChecks: Sendable {
    let authority: Authority

    /// Returns a check of `checks.yaml`.
    ///
    /// - Throws: `unknown_check`.
    public func check(_ name: String) throws(Refusal) -> Check {
        guard let check = authority.catalogue()[check: name] else {
            throw Refusal(.unknownCheck, Text("refusal.noSuchCheck"))
        }
        return check
    }

    /// Returns the first check over a credential, by whose rule it is enrolled.
    ///
    /// - Throws: `unknown_check`.
    public func check(over credential: Credential) throws(Refusal) -> Check {
        let catalogue = authority.catalogue()
        let all = catalogue.order.lazy.compactMap { catalogue[check: $0] }
        guard let check = all.first(where: { $0.credential == credential }) else {
            throw Refusal(.unknownCheck, Text("refusal.noCheckOfCredential"))
        }
        return check
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
        let budget = try await authority.attempts.status(
            check: CheckBudget(check),
            subject: .user(user),
            origin: caller.origin
        )
        if budget.refusal?.reason == .blocked {
            return CheckStatus(check: check.name, state: .blocked, retryAfterMs: budget.retryAfterMs)
        }
        return try await Authority.rows.storing {
            let catalogue = authority.catalogue()
            let policy = try PolicyCheck.policy(id.description, settings: authority.settings(), catalogue: catalogue)
            let client = client ?? AuthoritySettings.defaultClient
            let rule = ProofRule(policy: policy, catalogue: catalogue, client: client)
            let now = authority.clock.now
            let ends = try await authority.store.sessions.live(owner: caller.owner, user: user)
                .filter { rule.holds(check.name, by: $0.proofs, at: now) }
                .map { rule.end(of: check.name, by: $0.proofs) ?? $0.ends.wall }
            guard let last = ends.max() else { return CheckStatus(check: check.name, state: .none) }
            return CheckStatus(check: check.name, state: .success, expiresAt: last)
        }
    }

    /// Ends a check, and every other over its credential, for a person at the caller's owner.
    public func logOut(_ check: Check, user: UserID, _ caller: Caller) async throws {
        try await Authority.rows.storing {
            try await authority.store.sessions.forgetProofs(
                over: check.credential,
                owner: caller.owner,
                user: user,
                events: [AuditEvent(.checkLoggedOut, by: caller, user: user, detail: ["check": check.name])]
            )
        }
    }

    /// The credentials that a person has enrolled at the caller's owner, and those that count everywhere.
    public func enrolled(_ user: UserID, _ caller: Caller) async throws -> [(credential: Credential, at: Int64)] {
        try await Authority.rows.storing {
            try await authority.store.enrolled(of: user, at: caller.owner)
        }
    }

    /// True if a policy asks for no second factor, or one is proved and still counts.
    public func hasSecondFactor(_ proofs: [Proof], of policy: PolicyID) -> Bool {
        let catalogue = authority.catalogue()
        guard let policy = catalogue[policy] else { return false }
        return ProofRule(policy: policy, catalogue: catalogue).secondFactorHolds(proofs, at: authority.clock.now)
    }
}
