/// The ways in which a client proves who it is; the words are those of the metadata (RFC 8414 §2, OpenID Connect Core §9).
public enum ClientAuthenticationMethod: String, Hashable, Sendable, CaseIterable {
    /// It does not: it is public.
    case none
    /// Its secret in the `Authorization` field (RFC 6749 §2.3.1).
    case clientSecretBasic = "client_secret_basic"
    /// Its secret in the body (RFC 6749 §2.3.1).
    case clientSecretPost = "client_secret_post"
    /// A statement that it signed (RFC 7523 §2.2).
    case privateKeyJWT = "private_key_jwt"
}

/// The ways in which a client without a key proves at a token endpoint who it is (OpenID Connect Core §9).
public enum ClientSecretMethod: String, Hashable, Sendable, CaseIterable {
    /// Its secret in the `Authorization` field.
    case basic = "client_secret_basic"
    /// Its secret in the form.
    case post = "client_secret_post"
    /// Not at all: a public client.
    case none
}
