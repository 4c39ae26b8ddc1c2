import Attempts
import AuthorityStore
public import FlowModel
import Moments
public import Policies
import StoreRefusals

/// The checks that flows require, the checks that users have passed, and the credentials that users have enrolled.
public struct UserChecks: Sendable {
    let authority: Authority

    /// Returns the check with this name in `checks.yaml`, or throws `unknown_check`.
    public func check(_ name: String) throws(Refusal) -> Check {
        guard let check = authority.catalogue()[check: name] else {
            throw Refusal(.unknownCheck, Text("refusal.noSuchCheck"))
        }
        return check
    }

    /// Returns the check whose rules apply when a user enrolls this kind of credential, or throws `unknown_check`.
    public func check(over credential: Credential) throws(Refusal) -> Check {
        let catalogue = authority.catalogue()
        let all = catalogue.order.lazy.compactMap { catalogue[check: $0] }
        guard let check = all.first(where: { $0.credential == credential }) else {
            throw Refusal(.unknownCheck, Text("refusal.noCheckOfCredential"))
        }
        return check
    }

    /// Returns whether a check is passed, not passed or blocked for a user in the caller's sessions.
    ///
    /// The status applies to requests from `client`, or from the default client if `client` is `nil`.
    ///
    /// - Throws: `unknown_policy` if the policy does not exist.
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

    /// Invalidates a passed check, and all checks that use the same credential, in the caller's sessions of the user.
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

    /// Returns the credentials that a user has enrolled and the caller can use, each with its enrollment time.
    ///
    /// These are the credentials that belong to the caller's owner, such as a PIN, and those that all owners share.
    public func enrolled(_ user: UserID, _ caller: Caller) async throws -> [(credential: Credential, at: Int64)] {
        try await Authority.rows.storing {
            try await authority.store.enrolled(of: user, at: caller.owner)
        }
    }

    /// Whether a second factor that the user passed is still valid, or the policy requires no second factor.
    public func hasSecondFactor(_ proofs: [Proof], of policy: PolicyID) -> Bool {
        let catalogue = authority.catalogue()
        guard let policy = catalogue[policy] else { return false }
        return ProofRule(policy: policy, catalogue: catalogue).secondFactorHolds(proofs, at: authority.clock.now)
    }
}
