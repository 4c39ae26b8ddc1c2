import Moments

/// Everything the policy signs in with must have been proved; it counts as long as the session unless `checks.yaml`
/// sets a time.
struct SignInProofCheck: SessionCheck {
    func isMet(by session: ProvedSession, _ basis: RequestContext, at now: Moment) -> Bool {
        ProofRule(policy: basis.policy, catalogue: basis.catalogue).signInHolds(session.proofs, at: now)
    }
}
