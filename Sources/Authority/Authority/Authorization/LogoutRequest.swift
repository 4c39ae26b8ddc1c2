public import FlowModel
import OAuth

/// A checked request to sign out (OpenID Connect RP-Initiated Logout §2).
public struct LogoutRequest: Hashable, Sendable {
    /// The person whom `id_token_hint` names; nil without a hint, so that the person must confirm.
    public let user: UserID?
    /// The client that asks, if it is known.
    public let client: OAuthClient?
    /// The registered address to go to afterwards, with `state`; nil if none was asked for.
    public let location: String?
}

extension AuthorizationEndpoint {
    /// Checks a request to sign out, or throws the error that the person sees: no client is told of one.
    static func logout(
        _ form: Form,
        requiresHint: Bool,
        _ context: Context
    ) throws(OAuthError) -> LogoutRequest {
        var draft = LogoutDraft(form: form, requiresHint: requiresHint, context: context)
        for check in EndpointChecks.ofLogout { try check.apply(to: &draft) }
        return LogoutRequest(user: draft.hint?.user, client: draft.client, location: draft.location)
    }
}
