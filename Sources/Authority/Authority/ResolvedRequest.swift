public import FlowModel
public import OAuth
public import Policies

/// A request that may be granted once the right person has proved enough.
///
/// Pending requests keep it sealed, as the body of their row.
public struct ResolvedRequest: Hashable, Sendable, Codable {
    /// The policy that issues the token.
    public let policy: PolicyID
    /// The client's id.
    public let client: String
    /// `aud` of the token.
    public let audience: String
    /// The API's name; nil where the token is for the client itself.
    public let api: String?
    /// The URI under which the API was asked for, an audience beside ``audience`` (RFC 8707 §2.2); nil for none.
    public let resource: String?
    /// The scopes that the token must have as the client spelled them, those of OpenID Connect among them.
    ///
    /// Over HTTP `openid` asks for an ID token and `offline_access` for a refresh token; answers at the socket always
    /// have both.
    public let spelledScopes: [String]
    /// The scopes that the token must have, short, sorted.
    public let scopes: [String]
    /// The scopes to ask for as well if the person is asked anyway, short, sorted.
    public let additionalScopes: [String]
    /// The checks that the scopes require beside those the policy signs in with, in the order they are asked.
    public let checks: [String]
    /// The checks that the additional scopes require, likewise.
    public let additionalChecks: [String]
    /// The authentication contexts of which one must be reached.
    public let acrValues: [String]
    /// The greatest age of the proof of identity, in seconds.
    public let maxAge: Int64?

    /// The contexts and the age that it asks of an authentication.
    public var demand: AuthenticationDemand { AuthenticationDemand(acrValues: acrValues, maxAge: maxAge) }

    /// `aud` of the token: the API's own name, and beside it the URI under which it was asked for (RFC 8707 §2.2).
    var audienceClaim: JSONValue {
        guard let resource, resource != audience else { return .string(audience) }
        return [.string(audience), .string(resource)]
    }

    /// Its scopes as `<api>/<scope>`, as grants and consents keep them.
    var grantedScopes: [String] { scopes.map { scope in api.map { "\($0)/\(scope)" } ?? scope } }

    /// The scopes that a person lets a client use: those of the API, and those of OpenID Connect.
    func consentScopes(_ client: OAuthClient) -> [String] { grantedScopes + personalScopes(client).map(\.name) }

    /// The scopes of OpenID Connect that a person lets a client use: what it learns of them (OpenID Connect Core §5.4), and
    /// the refresh token if it gets one.
    func personalScopes(_ client: OAuthClient) -> [Scope] {
        aboutPerson + (keepsAccess(client) ? [.offlineAccess] : [])
    }

    /// The scopes that ask for claims about the person (OpenID Connect Core §5.4).
    public var aboutPerson: [Scope] { [.profile, .email].filter { spelledScopes.contains($0.name) } }

    /// True if the client would get a refresh token over HTTP.
    func keepsAccess(_ client: OAuthClient) -> Bool {
        spelledScopes.contains(Scope.offlineAccess.name) && client.grants.contains(.refreshToken)
    }

    /// The same request for fewer or other scopes.
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

    /// The same request with the additional scopes and their checks.
    var widened: ResolvedRequest {
        with(
            scopes: Set(scopes + additionalScopes).sorted(),
            checks: checks + additionalChecks.filter { !checks.contains($0) }
        )
    }
}
