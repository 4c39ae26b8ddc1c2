/// A method with which a client authenticates (RFC 8414 §2, OpenID Connect Core §9).
///
/// The raw values are the names in metadata.
public enum ClientAuthenticationMethod: String, Hashable, Sendable, CaseIterable {
    case none
    /// The client sends its secret in the `Authorization` header field (RFC 6749 §2.3.1).
    case clientSecretBasic = "client_secret_basic"
    /// The client sends its secret in the request body (RFC 6749 §2.3.1).
    case clientSecretPost = "client_secret_post"
    /// The client sends a JWT that is signed with its private key (RFC 7523 §2.2).
    case privateKeyJWT = "private_key_jwt"
}

/// A method with which a client that has no private key authenticates at a token endpoint (OpenID Connect Core §9).
public enum ClientSecretMethod: String, Hashable, Sendable, CaseIterable {
    case basic = "client_secret_basic"
    case post = "client_secret_post"
    case none
}
