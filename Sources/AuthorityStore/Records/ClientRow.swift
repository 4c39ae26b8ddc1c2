public import OAuth

/// A program that was registered with the authority.
public struct ClientRow: Hashable, Sendable {
    /// Whether a program can keep a secret (RFC 6749 §2.1).
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// It cannot.
        case `public`
        /// It can.
        case confidential
    }

    /// The client id.
    public let id: String
    /// What people call it.
    public let name: String
    /// Whether it can keep a secret.
    public let type: Kind
    /// The hash of its secret; sealed.
    public let secretHash: Secret?
    /// Where it may be answered.
    public let redirectURIs: [String]
    /// What it may ask for: `<api>/<scope>`.
    public let scopes: [String]
    /// The API that it is, if it is one.
    public let audience: String?
    /// When it was registered, in milliseconds since 1970 UTC.
    public let createdAt: Int64

    /// A program that was registered with the authority.
    public init(
        id: String,
        name: String,
        type: Kind,
        secretHash: Secret? = nil,
        redirectURIs: [String] = [],
        scopes: [String] = [],
        audience: String? = nil,
        createdAt: Int64
    ) {
        self.id = id
        self.name = name
        self.type = type
        self.secretHash = secretHash
        self.redirectURIs = redirectURIs
        self.scopes = scopes
        self.audience = audience
        self.createdAt = createdAt
    }
}

/// A signing key as it is kept.
public struct SigningKeyRow: Hashable, Sendable {
    /// The key's id.
    public let kid: String
    /// `ES256`, `EdDSA` or `RS256`.
    public let alg: String
    /// The private key; sealed, and gone when the key is revoked or retired for good.
    public let secret: Secret?
    /// The public key as JWK text.
    public let jwk: String
    /// `published`, `active`, `retired` or `revoked`.
    public let state: String
    /// When it was first shown to others, in milliseconds since 1970 UTC.
    public let publishedAt: Int64
    /// From when on it signs.
    public let activeFrom: Int64
    /// When it stopped signing.
    public let retiredAt: Int64?
    /// When it is no longer shown.
    public let removeAt: Int64?

    /// A signing key as it is kept.
    public init(
        kid: String,
        alg: String,
        secret: Secret?,
        jwk: String,
        state: String,
        publishedAt: Int64,
        activeFrom: Int64,
        retiredAt: Int64? = nil,
        removeAt: Int64? = nil
    ) {
        self.kid = kid
        self.alg = alg
        self.secret = secret
        self.jwk = jwk
        self.state = state
        self.publishedAt = publishedAt
        self.activeFrom = activeFrom
        self.retiredAt = retiredAt
        self.removeAt = removeAt
    }
}
