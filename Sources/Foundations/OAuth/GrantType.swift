/// A grant type at the token endpoint (RFC 6749 §1.3).
///
/// The raw values are the names in the configuration.
public enum GrantType: String, Hashable, Sendable, CaseIterable {
    /// An authorization code (RFC 6749 §4.1).
    case authorizationCode = "authorization_code"
    /// A refresh token (RFC 6749 §6).
    case refreshToken = "refresh_token"
    /// Client credentials (RFC 6749 §4.4).
    case clientCredentials = "client_credentials"
    /// A device code (RFC 8628 §3.4).
    case deviceCode = "device_code"
    /// A JWT in which a custom identity provider makes an assertion about a user (RFC 7523 §2.1).
    case jwtBearer = "jwt_bearer"
    /// The exchange of a provider's token for a local token (RFC 8693).
    case tokenExchange = "token_exchange"

    /// The default grant types of a client without a secret.
    public static let ofPublicClients: [GrantType] = [.authorizationCode, .refreshToken, .deviceCode]
    /// The only grant types of a client that runs in web pages.
    public static let ofBrowserClients: [GrantType] = [.authorizationCode, .refreshToken]

    /// The value of `grant_type` in a token request.
    public var wireName: String {
        switch self {
        case .authorizationCode, .refreshToken, .clientCredentials: rawValue
        case .deviceCode: "urn:ietf:params:oauth:grant-type:device_code"
        case .jwtBearer: "urn:ietf:params:oauth:grant-type:jwt-bearer"
        case .tokenExchange: "urn:ietf:params:oauth:grant-type:token-exchange"
        }
    }
}

/// The value of `aud` that an authority expects in client assertions (RFC 7523 §3).
public enum AssertionAudience: String, CaseIterable, Hashable, Sendable {
    case issuer
    case tokenEndpoint = "token_endpoint"
}

/// The request parameter in which an authority accepts the name of the requested API.
public enum ResourceParameter: String, CaseIterable, Hashable, Sendable {
    /// `resource` (RFC 8707 §2).
    case resource
    /// `audience` (RFC 8693 §2.1), which some authorities accept at every endpoint.
    case audience
    /// `scope`, in which the name of the API is an additional value.
    case scope
}
