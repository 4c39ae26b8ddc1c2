/// The grants of the token endpoint (RFC 6749 §1.3); the raw values are the words of the configuration.
public enum GrantType: String, Hashable, Sendable, CaseIterable {
    /// A code from the authorization endpoint (RFC 6749 §4.1).
    case authorizationCode = "authorization_code"
    /// A refresh token (RFC 6749 §6).
    case refreshToken = "refresh_token"
    /// The client itself (RFC 6749 §4.4).
    case clientCredentials = "client_credentials"
    /// A device's code (RFC 8628 §3.4).
    case deviceCode = "device_code"
    /// A statement about a person that a provider of one's own has signed (RFC 7523 §2.1).
    case jwtBearer = "jwt_bearer"
    /// A provider's own token for ours (RFC 8693).
    case tokenExchange = "token_exchange"

    /// The grants of a client without a secret, unless its registration says otherwise.
    public static let ofPublicClients: [GrantType] = [.authorizationCode, .refreshToken, .deviceCode]

    /// `grant_type` on the wire.
    public var wireName: String {
        switch self {
        case .authorizationCode, .refreshToken, .clientCredentials: rawValue
        case .deviceCode: "urn:ietf:params:oauth:grant-type:device_code"
        case .jwtBearer: "urn:ietf:params:oauth:grant-type:jwt-bearer"
        case .tokenExchange: "urn:ietf:params:oauth:grant-type:token-exchange"
        }
    }
}

/// The names of an authority that a client's statement to it may be for (RFC 7523 §3).
public enum AssertionAudience: String, CaseIterable, Hashable, Sendable {
    /// Its issuer.
    case issuer
    /// Its token endpoint.
    case tokenEndpoint = "token_endpoint"
}

/// The parameters by which authorities take the name of an API.
public enum ResourceParameter: String, CaseIterable, Hashable, Sendable {
    /// `resource` (RFC 8707 §2).
    case resource
    /// `audience` (RFC 8693 §2.1), which some take at every endpoint.
    case audience
    /// One more of `scope`.
    case scope
}
