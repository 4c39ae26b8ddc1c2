public import FlowModel
import OAuth

/// A logout request that passed all checks (OpenID Connect RP-Initiated Logout §2).
public struct LogoutRequest: Hashable, Sendable {
    /// The user identified by `id_token_hint`, or `nil` if there is no hint.
    ///
    /// Without a hint, the user must confirm the sign-out.
    public let user: UserID?
    /// The client that sent the request, or `nil` if it is unknown.
    public let client: OAuthClient?
    /// The registered address, including `state`, to which the browser goes after the sign-out, or `nil` if the client
    /// requested none.
    public let location: String?
}

/// The endpoint where a client requests that a user be signed out (OpenID Connect RP-Initiated Logout §2).
enum LogoutEndpoint {
    /// Parses a request, or throws an error that is shown only to the user and never sent to the client.
    static func request(
        _ form: Form,
        requiresHint: Bool,
        _ context: AuthorizationEndpoint.Context
    ) throws(OAuthError) -> LogoutRequest {
        let single = try LogoutChecks.single(form)
        let given = try LogoutChecks.hint(single, context)
        let hint = try LogoutChecks.required(given, if: requiresHint)
        let client = try LogoutChecks.client(single, hint, context)
        let location = try LogoutChecks.location(single, of: client)
        return LogoutRequest(user: hint?.user, client: client, location: location)
    }
}

/// The checks on a logout request, in order.
///
/// Each check returns the value that it validated. The first paragraph of each comment is copied to
/// `docs/authority.md`.
enum LogoutChecks {
    /// No parameter of a logout request is repeated (OpenID Connect RP-Initiated Logout §2).
    static func single(_ form: Form) throws(OAuthError) -> Form {
        guard form.repeated.isEmpty else { throw .invalidRequest("a parameter is repeated") }
        return form
    }

    /// `id_token_hint`, if present, is an ID token of this authority, possibly expired (OpenID Connect RP-Initiated
    /// Logout §2).
    static func hint(_ form: Form, _ context: AuthorizationEndpoint.Context) throws(OAuthError) -> IDTokenHint? {
        guard let text = form["id_token_hint"] else { return nil }
        guard let hint = IDTokenHint(text, context) else {
            throw .b2c(.invalidRequest, 90232, "id_token_hint is not an ID token of this authority")
        }
        return hint
    }

    /// `id_token_hint` is present if the policy requires it (`requireIdTokenHintAtLogout`).
    static func required(_ hint: IDTokenHint?, if isRequired: Bool) throws(OAuthError) -> IDTokenHint? {
        guard hint != nil || !isRequired else {
            throw .b2c(.invalidRequest, 90272, "the parameter id_token_hint is missing")
        }
        return hint
    }

    /// `client_id`, if present, is the client that the hint was issued to (OpenID Connect RP-Initiated Logout §2).
    static func client(
        _ form: Form,
        _ hint: IDTokenHint?,
        _ context: AuthorizationEndpoint.Context
    ) throws(OAuthError) -> OAuthClient? {
        guard let named = form["client_id"] else { return hint.flatMap { context.clients[$0.client] } }
        if let hint, named != hint.client {
            throw .b2c(.invalidRequest, 90232, "id_token_hint was issued to another client")
        }
        return context.clients[named]
    }

    /// `post_logout_redirect_uri`, if present, is byte-for-byte identical to one of the values that the client
    /// registered (OpenID Connect RP-Initiated Logout §3).
    static func location(_ form: Form, of client: OAuthClient?) throws(OAuthError) -> String? {
        guard let address = form["post_logout_redirect_uri"] else { return nil }
        let registered = client?.postLogoutRedirectURIs ?? []
        guard registered.contains(where: { $0.utf8.elementsEqual(address.utf8) }) else {
            throw .b2c(.invalidRequest, 90067, "post_logout_redirect_uri is not registered for this client")
        }
        guard let state = form["state"] else { return address }
        return address + (address.contains("?") ? "&" : "?") + Form.encoded([("state", state)])
    }
}
