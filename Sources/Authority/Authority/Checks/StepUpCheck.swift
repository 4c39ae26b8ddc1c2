import FlowModel
import Policies

/// A policy that steps up issues nothing itself: the policy does that the person is signed in with.
enum StepUpCheck {
    /// Returns the policy that issues for a request that names `policy`.
    ///
    /// - Throws: `interaction_required` if it steps up and nobody is signed in.
    static func issuing(
        for policy: Policy,
        _ request: TokenRequest,
        settings: AuthoritySettings,
        catalogue: PolicyCatalogue
    ) throws(Refusal) -> Policy {
        guard policy.kind.stepsUp else { return policy }
        guard let name = request.sessionPolicy else { throw nobody(policy) }
        let issuing = try PolicyCheck.policy(name, settings: settings, catalogue: catalogue)
        guard !issuing.kind.stepsUp else { throw nobody(policy) }
        return issuing
    }

    /// The refusal where nobody is signed in.
    static func nobody(_ policy: Policy) -> Refusal {
        Refusal(.interactionRequired, "policy \(policy.id) asks more of somebody who is signed in, and nobody is")
    }
}
