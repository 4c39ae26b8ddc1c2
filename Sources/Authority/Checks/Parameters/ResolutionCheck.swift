public import FlowModel
public import OAuth

/// The scopes, the resource and the authentication contexts must be ones that the policy and the client have: the checks
/// of ``AuthorizationEndpoint/requestChecks``.
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
            throw OAuthError(error)
        }
    }
}

extension OAuthError {
    /// The error that an authorization request is answered with if it is refused.
    public init(_ refusal: Refusal) {
        switch refusal.reason {
        case .scopeDenied where refusal.facts[.resource] != nil: self = .b2c(.invalidTarget, 90146, refusal.message)
        case .scopeDenied: self = .b2c(.invalidScope, 90117, refusal.message)
        case .unmetAuthenticationRequirements:
            self.init(code: .unmetAuthenticationRequirements, description: refusal.message)
        case .interactionRequired: self.init(code: .interactionRequired, description: refusal.message)
        case .limitExceeded, .shuttingDown, .storageFailed:
            self = .temporarilyUnavailable(refusal.message, detail: refusal.detail)
        case .flowNotFound, .flowFinished, .staleStep, .submissionInProgress, .invalidAnswer, .blocked,
            .unsupportedStep, .unknownPolicy, .unknownCheck, .providerUnavailable, .providerProtocol, .expiredStep,
            .notPermitted, .accountAmbiguous, .wrongUser, .locked, .unknownClient, .accountNotFound:
            self = .accessDenied(refusal.message, detail: refusal.detail)
        }
    }
}
