public import FlowModel
public import OAuth
public import Policies

/// A validated request, encrypted and stored in a pending request until the user has passed the required checks.
public struct ResolvedRequest: Hashable, Sendable, Codable {
    /// The policy that issues the tokens.
    public let policy: PolicyID
    /// The client's id (`client_id`).
    public let client: String
    /// The `aud` claim of the access token.
    public let audience: String
    /// The API's name, or `nil` if the token is for the client itself.
    public let api: String?
    /// The requested URI of the API, to be added to the token's audience (RFC 8707 §2.2), or `nil` for no URI.
    public let resource: String?
    /// The required scopes as the client spelled them, including OpenID Connect scopes.
    ///
    /// Over HTTP, `openid` requests an ID token and `offline_access` a refresh token. The socket always returns both.
    public let spelledScopes: [String]
    /// The required scopes, sorted and without the API's name.
    public let scopes: [String]
    /// The additional scopes to request if the user is prompted anyway, sorted and without the API's name.
    public let additionalScopes: [String]
    /// The checks that the request requires in addition to the policy's sign-in checks, in the order of the prompts.
    public let checks: [String]
    /// The checks that the additional scopes require, in the order of the prompts.
    public let additionalChecks: [String]
    /// The requested authentication contexts, one of which the authentication must satisfy unless the array is empty.
    public let acrValues: [String]
    /// The maximum age of the authentication, in seconds, or `nil` for no limit.
    public let maxAge: Int64?

    /// The authentication contexts and the maximum age that the request requires.
    public var demand: AuthenticationDemand { AuthenticationDemand(acrValues: acrValues, maxAge: maxAge) }

    /// The token's `aud` claim: the API's audience, and the requested URI if there is one (RFC 8707 §2.2).
    var audienceClaim: JSONValue {
        guard let resource, resource != audience else { return .string(audience) }
        return [.string(audience), .string(resource)]
    }

    /// The required scopes as `<api>/<scope>`, which is the form that is stored in grants and consents.
    var grantedScopes: [String] { scopes.map { scope in api.map { "\($0)/\(scope)" } ?? scope } }

    /// The required scopes without and with the API's name, or `<api>/` or the client's id if there are none.
    ///
    /// A token without scopes needs consent too, because the client learns who the user is. If the token is for an API,
    /// the consent is for that API, so that consent to a token for the client itself does not cover it.
    var grantsForConsent: [(short: String, full: String)] {
        guard scopes.isEmpty else { return zip(scopes, grantedScopes).map { ($0, $1) } }
        let name = api.map { "\($0)/" } ?? client
        return [(name, name)]
    }

    func consentScopes(_ client: OAuthClient) -> [String] {
        grantsForConsent.map { $0.full } + personalScopes(client).map(\.name)
    }

    /// Returns the OpenID Connect scopes that need consent, with `offline_access` only if it yields a refresh token.
    func personalScopes(_ client: OAuthClient) -> [Scope] {
        aboutPerson + (keepsAccess(client) ? [.offlineAccess] : [])
    }

    /// The scopes that request claims about the user (OpenID Connect Core §5.4).
    public var aboutPerson: [Scope] { [.profile, .email].filter { spelledScopes.contains($0.name) } }

    /// Whether the client would get a refresh token over HTTP.
    func keepsAccess(_ client: OAuthClient) -> Bool {
        spelledScopes.contains(Scope.offlineAccess.name) && client.grants.contains(.refreshToken)
    }

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

    /// The request reduced to a token for the client itself, which identifies the user and has no API scopes.
    var forClient: ResolvedRequest {
        ResolvedRequest(
            policy: policy,
            client: client,
            audience: client,
            api: nil,
            resource: nil,
            spelledScopes: spelledScopes,
            scopes: [client],
            additionalScopes: [],
            checks: [],
            additionalChecks: [],
            acrValues: acrValues,
            maxAge: maxAge
        )
    }

    var widened: ResolvedRequest {
        with(
            scopes: Set(scopes + additionalScopes).sorted(),
            checks: checks + additionalChecks.filter { !checks.contains($0) }
        )
    }
}
