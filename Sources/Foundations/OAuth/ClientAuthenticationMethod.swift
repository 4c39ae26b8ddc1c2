/// The client authentication methods, as named in the metadata (RFC 8414 §2, OpenID Connect Core §9).
public enum ClientAuthenticationMethod: String, Hashable, Sendable, CaseIterable {
    /// No authentication, for public clients.
    case none
    /// The secret in the `Authorization` header field (RFC 6749 §2.3.1).
    case clientSecretBasic = "client_secret_basic"
    /// The secret in the request body (RFC 6749 §2.3.1).
    case clientSecretPost = "client_secret_post"
    /// A JWT signed by the client (RFC 7523 §2.2).
    case privateKeyJWT = "private_key_jwt"
}

/// How a client without a key authenticates at a token endpoint (OpenID Connect Core §9).
public enum ClientSecretMethod: String, Hashable, Sendable, CaseIterable {
    /// The secret in the `Authorization` header field.
    case basic = "client_secret_basic"
    /// The secret in the request body.
    case post = "client_secret_post"
    /// No authentication, for public clients.
    case none
}
