public import FlowModel
public import OAuth
public import Policies

/// A validated request that can be granted after the user has authenticated sufficiently.
///
/// A pending request stores the validated request encrypted, as the body of its row.
public struct ResolvedRequest: Hashable, Sendable, Codable {
    /// The policy that issues the tokens.
    public let policy: PolicyID
    /// The client's id (`client_id`).
    public let client: String
    /// The `aud` claim of the access token.
    public let audience: String
    /// The API's name, or `nil` if the token is for the client itself.
    public let api: String?
    /// The URI by which the API was requested, an audience in addition to ``audience`` (RFC 8707 §2.2), or `nil` for
    /// none.
    public let resource: String?
    /// The required scopes as the client spelled them, including those of OpenID Connect.
    ///
    /// Over HTTP, `openid` requests an ID token and `offline_access` a refresh token. Responses at the socket always
    /// contain both.
    public let spelledScopes: [String]
    /// The required scopes in short form, sorted.
    public let scopes: [String]
    /// Scopes to request in addition if the user is prompted anyway, in short form, sorted.
    public let additionalScopes: [String]
    /// The checks that the scopes require in addition to the policy's sign-in checks, in the order of their prompts.
    public let checks: [String]
    /// The checks that the additional scopes require, in the same order.
    public let additionalChecks: [String]
    /// The requested authentication contexts.
    ///
    /// The authentication must reach one of them.
    public let acrValues: [String]
    /// The maximum age of the authentication, in seconds, or `nil` for no limit.
    public let maxAge: Int64?

    /// The authentication contexts and the maximum age that the request requires.
    public var demand: AuthenticationDemand { AuthenticationDemand(acrValues: acrValues, maxAge: maxAge) }

    /// The `aud` claim of the token: the API's audience, and the URI by which the API was requested if there is one
    /// (RFC 8707 §2.2).
    var audienceClaim: JSONValue {
        guard let resource, resource != audience else { return .string(audience) }
        return [.string(audience), .string(resource)]
    }

    /// The required scopes as `<api>/<scope>`, the form stored in grants and consents.
    var grantedScopes: [String] { scopes.map { scope in api.map { "\($0)/\(scope)" } ?? scope } }

    /// Returns the scopes that need the user's consent: those of the API, and those of OpenID Connect.
    func consentScopes(_ client: OAuthClient) -> [String] { grantedScopes + personalScopes(client).map(\.name) }

    /// Returns the OpenID Connect scopes that need the user's consent: those that reveal claims (OpenID Connect Core
    /// §5.4), and `offline_access` if the client gets a refresh token.
    func personalScopes(_ client: OAuthClient) -> [Scope] {
        aboutPerson + (keepsAccess(client) ? [.offlineAccess] : [])
    }

    /// The scopes that request claims about the user (OpenID Connect Core §5.4).
    public var aboutPerson: [Scope] { [.profile, .email].filter { spelledScopes.contains($0.name) } }

    /// Whether the client would get a refresh token over HTTP.
    func keepsAccess(_ client: OAuthClient) -> Bool {
        spelledScopes.contains(Scope.offlineAccess.name) && client.grants.contains(.refreshToken)
    }

    /// Returns a copy of the request with other scopes and checks.
    func with(scopes: [String], checks: [String]) -> ResolvedRequest {
        ResolvedRequest(
            policy: policy,
            client: client,
            audience: audience,
            api: api,
            resource: resource,
            spelledScopes: spelledScopes,
            scopes: scopes,
            additionalScopes: [],
            checks: checks,
            additionalChecks: [],
            acrValues: acrValues,
            maxAge: maxAge
        )
    }

    /// The request including the additional scopes and their checks.
    var widened: ResolvedRequest {
        with(
            scopes: Set(scopes + additionalScopes).sorted(),
            checks: checks + additionalChecks.filter { !checks.contains($0) }
        )
    }
}
