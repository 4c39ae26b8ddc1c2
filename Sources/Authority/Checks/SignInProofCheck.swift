import Moments

/// Everything the policy signs in with was proved; it counts as long as the session unless its file says how long.
struct SignInProofCheck: SessionCheck {
    func isMet(by session: ProvedSession, _ basis: RequestBasis, at now: Moment) -> Bool {
        ProofRule(policy: basis.policy, catalogue: basis.catalogue).signInHolds(session.proofs, at: now)
    }
}
