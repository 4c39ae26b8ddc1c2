import FlowModel
import OAuth

/// The scopes, the resource and the authentication contexts must be ones that the policy and the client have.
///
/// These are the checks of ``AuthorizationEndpoint/requestChecks``.
struct ResolutionCheck: ParameterCheck {
    func apply(to draft: inout AuthorizationDraft) throws(OAuthError) {
        do throws(Refusal) {
            draft.resolved = try AuthorizationEndpoint.resolve(
                draft.tokens,
                settings: draft.context.settings,
                catalogue: draft.context.catalogue,
                clients: [draft.client.id: draft.client]
            )
        } catch {
            throw OAuthError(error, from: .authorizationEndpoint)
        }
    }
}
