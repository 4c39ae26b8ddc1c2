import FlowModel
import Moments
import Policies

/// Decides whether a check that the user passed is still valid.
///
/// A sign-in check has no time limit unless `checks.yaml` sets one. A check that only a scope requires always has one.
struct ProofRule {
    let policy: Policy
    let catalogue: PolicyCatalogue
    /// The client that sent the request, or `nil` to ignore client-specific checks and accept proofs for any client.
    var client: String?

    func signInHolds(_ proofs: [Proof], at now: Moment) -> Bool {
        policy.baseChecks.allSatisfy { holds($0, by: proofs, at: now) } && secondFactorHolds(proofs, at: now)
    }

    /// Whether a second factor that the user passed is still valid, or the policy requires no second factor.
    func secondFactorHolds(_ proofs: [Proof], at now: Moment) -> Bool {
        policy.secondFactor.isMet(by: proofs) { holds($0, by: proofs, at: now) }
    }

    /// Whether the user passed the check, or another check with the same credential, and the result is still valid.
    func holds(_ name: String, by proofs: [Proof], at now: Moment) -> Bool {
        guard let check = catalogue[check: name], let proof = proof(of: check, proofs) else { return false }
        guard let duration = duration(of: check, proof) else { return true }
        return Proof.isRecent(proof.at, within: duration, at: now)
    }

    /// Returns when a passed check expires, in milliseconds since 1970 UTC, or `nil` if the check has no time limit.
    func end(of name: String, by proofs: [Proof]) -> Int64? {
        guard let check = catalogue[check: name], let proof = proof(of: check, proofs) else { return nil }
        return duration(of: check, proof).map { proof.at + $0.milliseconds }
    }

    func holds(scope: String, api: String?, by proofs: [Proof], at now: Moment) -> Bool {
        (policy.checks(forScope: scope, api: api, client: client) ?? []).allSatisfy { holds($0, by: proofs, at: now) }
    }

    /// Returns the longest token lifetime that the checks for these scopes allow, or `nil` if the checks set no limit.
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

    func isRemembered(_ proof: Proof, at now: Moment) -> Bool {
        guard proof.isRemembered == true, let check = catalogue[check: proof.check] else { return false }
        return Proof.isRecent(proof.at, within: check.rememberMe, at: now)
    }

    /// Returns how long a proof that the check was passed is valid, or `nil` if the proof has no time limit.
    private func duration(of check: Check, _ proof: Proof) -> Duration? {
        guard let duration = duration(of: check) else { return nil }
        return proof.isRemembered == true ? max(duration, check.rememberMe) : duration
    }

    private func duration(of check: Check) -> Duration? {
        if let duration = check.successStateExpiration { return duration }
        return signsIn(check) ? nil : check.successForScopes
    }

    private func signsIn(_ check: Check) -> Bool {
        policy.baseChecks.contains(check.name) || policy.secondFactor.checks.contains(check.name)
    }

    /// Returns the newest proof of the check, or `nil` if there is no proof.
    ///
    /// If a check is required only by a scope, a proof counts only for the client that obtained it, unless all clients of
    /// the same uid share the check.
    private func proof(of check: Check, _ proofs: [Proof]) -> Proof? {
        let isShared = check.share == .uid || signsIn(check)
        return proofs.filter { proof in
            policy.accepts(proof, for: check)
                && (isShared || proof.client == nil || client == nil || proof.client == client)
        }.max { $0.at < $1.at }
    }
}
