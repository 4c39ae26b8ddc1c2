import OAuth
import Policies

/// It was given at this policy's endpoint, since each policy is an issuer of its own.
struct SamePolicyCheck: PresentedGrantCheck {
    func apply(to presented: PresentedGrant) throws {
        guard presented.policy == presented.call.policy.id.description else {
            throw OAuthError.invalidGrant(
                90088,
                "the \(presented.noun) was given at the endpoint of another policy"
            )
        }
    }
}
