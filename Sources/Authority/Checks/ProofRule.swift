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

    /// True if every check that signs in is proved and still counts.
    func signInHolds(_ proofs: [Proof], at now: Moment) -> Bool {
        policy.baseChecks.allSatisfy { holds($0, by: proofs, at: now) }
    }

    /// True if a check is proved and still counts; a proof over a credential meets every check over it.
    func holds(_ name: String, by proofs: [Proof], at now: Moment) -> Bool {
        guard let check = catalogue[check: name], let proof = proof(of: check, proofs) else { return false }
        guard let duration = duration(of: check) else { return true }
        return Proof.isRecent(proof.at, within: duration, at: now)
    }

    /// The time at which a proved check stops to count, in milliseconds since 1970 UTC; nil if it lasts as long as its
    /// session.
    func end(of name: String, by proofs: [Proof]) -> Int64? {
        guard let check = catalogue[check: name], let proof = proof(of: check, proofs) else { return nil }
        return duration(of: check).map { proof.at + $0.milliseconds }
    }

    /// True if everything that a scope requires is proved and still counts.
    func holds(scope: String, api: String?, by proofs: [Proof], at now: Moment) -> Bool {
        (policy.checks(forScope: scope, api: api) ?? []).allSatisfy { holds($0, by: proofs, at: now) }
    }

    /// The longest life of a token with these scopes, because of the checks they require; nil if they set no limit.
    func bound(scopes: [String], api: String?, proofs: [Proof], at now: Moment) -> Duration? {
        let names = Set(scopes.flatMap { policy.checks(forScope: $0, api: api) ?? [] })
        return names.compactMap { name -> Duration? in
            guard let check = catalogue[check: name], let duration = duration(of: check) else { return nil }
            guard let proof = proof(of: check, proofs) else { return .zero }
            let left = Duration.milliseconds(proof.at - now.wall) + duration
            return min(max(left, .zero), duration)
        }.min()
    }

    private func duration(of check: Check) -> Duration? {
        if let duration = check.successStateExpiration { return duration }
        return policy.baseChecks.contains(check.name) ? nil : check.successForScopes
    }

    private func proof(of check: Check, _ proofs: [Proof]) -> Proof? {
        proofs.filter { policy.accepts($0, for: check) }.max { $0.at < $1.at }
    }
}
