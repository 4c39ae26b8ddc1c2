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
        guard form.repeated.isEmpty else { throw .invalidRequest("a parameter is there more than once") }
        let hint = form["id_token_hint"].map { IDTokenHint($0, context) }
        if let hint, hint == nil {
            throw .b2c(.invalidRequest, 90232, "id_token_hint is not an ID token of this authority")
        }
        if hint == nil, requiresHint { throw .b2c(.invalidRequest, 90272, "the parameter id_token_hint is missing") }
        let named = form["client_id"]
        if let hint = hint ?? nil, let named, named != hint.client {
            throw .b2c(.invalidRequest, 90232, "id_token_hint was issued to another client")
        }
        let client = (named ?? (hint ?? nil)?.client).flatMap { context.clients[$0] }
        return LogoutRequest(
            user: (hint ?? nil)?.user,
            client: client,
            location: try location(form, client)
        )
    }

    /// The address to go to: byte for byte one that the client registered for it (§3).
    private static func location(_ form: Form, _ client: OAuthClient?) throws(OAuthError) -> String? {
        guard let address = form["post_logout_redirect_uri"] else { return nil }
        let registered = client?.postLogoutRedirectURIs ?? []
        guard registered.contains(where: { $0.utf8.elementsEqual(address.utf8) }) else {
            throw .b2c(.invalidRequest, 90067, "post_logout_redirect_uri is not registered for this client")
        }
        guard let state = form["state"] else { return address }
        return address + (address.contains("?") ? "&" : "?") + Form.encoded([("state", state)])
    }
}
