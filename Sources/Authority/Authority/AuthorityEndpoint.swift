public import OAuth

/// An endpoint that a policy's issuer serves and publishes in its metadata document (RFC 8414 §2).
public enum AuthorityEndpoint: String, Hashable, Sendable, CaseIterable {
    case authorize = "/oauth2/v2.0/authorize"
    case token = "/oauth2/v2.0/token"
    case logout = "/oauth2/v2.0/logout"
    case pushedRequests = "/oauth2/v2.0/par"
    case deviceAuthorization = "/oauth2/v2.0/devicecode"
    case revocation = "/oauth2/v2.0/revoke"
    case introspection = "/oauth2/v2.0/introspect"
    case userinfo = "/openid/v2.0/userinfo"
    case keys = "/discovery/v2.0/keys"

    /// The path to append to the common prefix of the policy's URLs.
    public var path: String { rawValue }

    /// The metadata member that contains the endpoint's URL.
    public var member: WritableKeyPath<ServerMetadata, String?> {
        switch self {
        case .authorize: \.authorizationEndpoint
        case .token: \.tokenEndpoint
        case .logout: \.endSessionEndpoint
        case .pushedRequests: \.pushedAuthorizationRequestEndpoint
        case .deviceAuthorization: \.deviceAuthorizationEndpoint
        case .revocation: \.revocationEndpoint
        case .introspection: \.introspectionEndpoint
        case .userinfo: \.userinfoEndpoint
        case .keys: \.jwksURI
        }
    }
}
