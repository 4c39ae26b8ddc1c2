import FlowModel
import Moments
import Policies

/// The rule by which proofs expire.
///
/// A check that a policy signs in with counts as long as its session and its refresh window unless `checks.yaml` sets a
/// time; a check that only a scope requires always has a time.
struct ProofRule {
    let policy: Policy
    let catalogue: PolicyCatalogue
    /// The client that asks; nil for one that is not named, for which every proof counts and no scope asks for more.
    var client: String?

    /// True if every check that signs in is proved and still counts, and a second factor where the policy asks for one.
    func signInHolds(_ proofs: [Proof], at now: Moment) -> Bool {
        policy.baseChecks.allSatisfy { holds($0, by: proofs, at: now) } && secondFactorHolds(proofs, at: now)
    }

    /// True if the policy asks for no second factor, or one is proved and still counts.
    func secondFactorHolds(_ proofs: [Proof], at now: Moment) -> Bool {
        policy.secondFactor.isMet(by: proofs) { holds($0, by: proofs, at: now) }
    }

    /// True if a check is proved and still counts; a proof over a credential meets every check over it.
    func holds(_ name: String, by proofs: [Proof], at now: Moment) -> Bool {
        guard let check = catalogue[check: name], let proof = proof(of: check, proofs) else { return false }
        guard let duration = duration(of: check, proof) else { return true }
        return Proof.isRecent(proof.at, within: duration, at: now)
    }

    /// The time at which a proved check stops to count, in milliseconds since 1970 UTC; nil if it lasts as long as its
    /// session.
    func end(of name: String, by proofs: [Proof]) -> Int64? {
        guard let check = catalogue[check: name], let proof = proof(of: check, proofs) else { return nil }
        return duration(of: check, proof).map { proof.at + $0.milliseconds }
    }

    /// True if everything that a scope requires is proved and still counts.
    func holds(scope: String, api: String?, by proofs: [Proof], at now: Moment) -> Bool {
        (policy.checks(forScope: scope, api: api, client: client) ?? []).allSatisfy { holds($0, by: proofs, at: now) }
    }

    /// The longest life of a token with these scopes, because of the checks they require; nil if they set no limit.
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

    /// True if a proof counts because the person asked to be remembered; as long as `checks.yaml` allows it now.
    func isRemembered(_ proof: Proof, at now: Moment) -> Bool {
        guard proof.isRemembered == true, let check = catalogue[check: proof.check] else { return false }
        return Proof.isRecent(proof.at, within: check.rememberMe, at: now)
    }

    /// The time for which a proof counts; longer than that of its check if the person asked to be remembered.
    private func duration(of check: Check, _ proof: Proof) -> Duration? {
        guard let duration = duration(of: check) else { return nil }
        return proof.isRemembered == true ? max(duration, check.rememberMe) : duration
    }

    private func duration(of check: Check) -> Duration? {
        if let duration = check.successStateExpiration { return duration }
        return signsIn(check) ? nil : check.successForScopes
    }

    /// True for a check that counts as long as the session.
    private func signsIn(_ check: Check) -> Bool {
        policy.baseChecks.contains(check.name) || policy.secondFactor.checks.contains(check.name)
    }

    /// The newest proof of a check; one that only a scope asks for counts for the client that it was given to, unless the
    /// clients of a uid share it.
    private func proof(of check: Check, _ proofs: [Proof]) -> Proof? {
        let isShared = check.share == .uid || signsIn(check)
        return proofs.filter { proof in
            policy.accepts(proof, for: check)
                && (isShared || proof.client == nil || client == nil || proof.client == client)
        }.max { $0.at < $1.at }
    }
}
