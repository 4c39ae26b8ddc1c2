import FlowModel
import Moments
import Policies

/// Decides whether a check that the user passed is still valid.
///
/// A check that a policy requires for sign-in is valid as long as the session and its refresh window, unless
/// `checks.yaml` sets a time limit. A check that only a scope requires always has a time limit.
struct ProofRule {
    let policy: Policy
    let catalogue: PolicyCatalogue
    /// The client of the request.
    ///
    /// With `nil`, every passed check counts and no scope requires additional checks.
    var client: String?

    /// Whether the user passed all of the policy's sign-in checks and any required second factor, and all of them are
    /// still valid.
    func signInHolds(_ proofs: [Proof], at now: Moment) -> Bool {
        policy.baseChecks.allSatisfy { holds($0, by: proofs, at: now) } && secondFactorHolds(proofs, at: now)
    }

    /// Whether the user passed a second factor that is still valid, or the policy requires none.
    func secondFactorHolds(_ proofs: [Proof], at now: Moment) -> Bool {
        policy.secondFactor.isMet(by: proofs) { holds($0, by: proofs, at: now) }
    }

    /// Whether the user passed a check and it is still valid.
    ///
    /// Verifying a credential once passes every check that uses the credential.
    func holds(_ name: String, by proofs: [Proof], at now: Moment) -> Bool {
        guard let check = catalogue[check: name], let proof = proof(of: check, proofs) else { return false }
        guard let duration = duration(of: check, proof) else { return true }
        return Proof.isRecent(proof.at, within: duration, at: now)
    }

    /// Returns when a passed check expires, in milliseconds since 1970 UTC, or `nil` if it is valid as long as its
    /// session.
    func end(of name: String, by proofs: [Proof]) -> Int64? {
        guard let check = catalogue[check: name], let proof = proof(of: check, proofs) else { return nil }
        return duration(of: check, proof).map { proof.at + $0.milliseconds }
    }

    /// Whether the user passed all checks that a scope requires, and they are still valid.
    func holds(scope: String, api: String?, by proofs: [Proof], at now: Moment) -> Bool {
        (policy.checks(forScope: scope, api: api, client: client) ?? []).allSatisfy { holds($0, by: proofs, at: now) }
    }

    /// Returns the longest token lifetime that the checks for these scopes allow, or `nil` if they set no limit.
    func bound(scopes: [String], api: String?, proofs: [Proof], at now: Moment) -> Duration? {
        let names = Set(scopes.flatMap { policy.checks(forScope: $0, api: api, client: client) ?? [] })
        return names.compactMap { name -> Duration? in
            guard let check = catalogue[check: name], let duration = duration(of: check) else { return nil }
            guard let proof = proof(of: check, proofs) else { return .zero }
            let counts = self.duration(of: check, proof) ?? duration
            let left = Duration.milliseconds(proof.at - now.wall) + counts
            return min(max(left, .zero), duration)
        }.min()
    }

    /// Whether a proof counts because the user chose to be remembered, within the time that `checks.yaml` currently
    /// allows.
    func isRemembered(_ proof: Proof, at now: Moment) -> Bool {
        guard proof.isRemembered == true, let check = catalogue[check: proof.check] else { return false }
        return Proof.isRecent(proof.at, within: check.rememberMe, at: now)
    }

    /// Returns how long a proof is valid.
    ///
    /// If the user chose to be remembered, a proof is valid longer than its check otherwise allows.
    private func duration(of check: Check, _ proof: Proof) -> Duration? {
        guard let duration = duration(of: check) else { return nil }
        return proof.isRemembered == true ? max(duration, check.rememberMe) : duration
    }

    private func duration(of check: Check) -> Duration? {
        if let duration = check.successStateExpiration { return duration }
        return signsIn(check) ? nil : check.successForScopes
    }

    /// Whether a check is valid as long as the session.
    private func signsIn(_ check: Check) -> Bool {
        policy.baseChecks.contains(check.name) || policy.secondFactor.checks.contains(check.name)
    }

    /// Returns the newest proof of a check.
    ///
    /// If only a scope requires the check, a proof counts only for the client that the proof was created for, unless
    /// all clients of a uid share the proof.
    private func proof(of check: Check, _ proofs: [Proof]) -> Proof? {
        let isShared = check.share == .uid || signsIn(check)
        return proofs.filter { proof in
            policy.accepts(proof, for: check)
                && (isShared || proof.client == nil || client == nil || proof.client == client)
        }.max { $0.at < $1.at }
    }
}
