import FlowModel
import OAuth

/// An authentication context that the claims request calls essential counts like `acr_values` (OpenID Connect Core
/// §5.5.1.1); every other claim is as the policy says.
struct ClaimsCheck: RequestCheck {
    func apply(to draft: inout RequestDraft) throws(Refusal) {
        for member in ["id_token", "access_token"] {
            guard let acr = draft.request.claims?[member]?["acr"], acr["essential"]?.bool == true else { continue }
            let values = acr["values"]?.strings ?? acr["value"]?.string.map { [$0] } ?? []
            guard !values.isEmpty else { continue }
            let both = draft.acrValues.isEmpty ? values : draft.acrValues.filter(values.contains)
            guard !both.isEmpty else {
                throw Refusal(
                    .unmetAuthenticationRequirements,
                    "the claims request and acrValues have no authentication context in common"
                )
            }
            draft.acrValues = both
        }
    }
}
