import Moments

/// Every check that the scopes require must have been proved, and recently enough.
struct ScopeProofCheck: SessionCheck {
    func isMet(by session: ProvedSession, _ basis: RequestContext, at now: Moment) -> Bool {
        let rule = ProofRule(policy: basis.policy, catalogue: basis.catalogue, client: basis.request.client)
        return basis.request.checks.allSatisfy { rule.holds($0, by: session.proofs, at: now) }
    }
}
