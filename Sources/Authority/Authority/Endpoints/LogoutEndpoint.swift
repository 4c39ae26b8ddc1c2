public import FlowModel
import OAuth

/// A logout request that passed all checks (OpenID Connect RP-Initiated Logout §2).
public struct LogoutRequest: Hashable, Sendable {
    /// The user that `id_token_hint` identifies, or `nil` if there is no hint and the user must confirm the sign-out.
    public let user: UserID?
    /// The client that requested the logout, or `nil` if the request does not identify a known client.
    public let client: OAuthClient?
    /// The registered URL to redirect to after the sign-out, with the request's `state`, or `nil` for no redirect.
    public let location: String?
}

/// The endpoint at which a client requests that a user be signed out (OpenID Connect RP-Initiated Logout §2).
enum LogoutEndpoint {
    /// Parses a logout request, or throws an error that must be shown only to the user and never sent to the client.
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

/// The checks on a logout request, in order, each of which returns the value that it validated.
///
/// The first paragraph of each check's comment is copied to `docs/authority.md`.
enum LogoutChecks {
    /// No parameter of a logout request may be repeated (OpenID Connect RP-Initiated Logout §2).
    static func single(_ form: Form) throws(OAuthError) -> Form {
        guard form.repeated.isEmpty else { throw .invalidRequest("a parameter is repeated") }
        return form
    }

    /// `id_token_hint`, if present, must be an ID token that this authority issued, and may have expired (OpenID
    /// Connect RP-Initiated Logout §2).
    static func hint(_ form: Form, _ context: AuthorizationEndpoint.Context) throws(OAuthError) -> IDTokenHint? {
        guard let text = form["id_token_hint"] else { return nil }
        guard let hint = IDTokenHint(text, context) else {
            throw .b2c(.invalidRequest, 90232, "id_token_hint is not an ID token of this authority")
        }
        return hint
    }

    /// `id_token_hint` must be present if the policy sets `requireIdTokenHintAtLogout`.
    static func required(_ hint: IDTokenHint?, if isRequired: Bool) throws(OAuthError) -> IDTokenHint? {
        guard hint != nil || !isRequired else {
            throw .b2c(.invalidRequest, 90272, "the parameter id_token_hint is missing")
        }
        return hint
    }

    /// `client_id` and `id_token_hint`, if both are present, must identify the same client (OpenID Connect RP-Initiated
    /// Logout §2).
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

    /// `post_logout_redirect_uri`, if present, must be byte for byte the same as one of the values that the client
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
