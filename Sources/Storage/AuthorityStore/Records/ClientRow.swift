public import FlowModel
public import OAuth

/// A client that was registered with the authority.
public struct ClientRow: Hashable, Sendable {
    /// The client.
    public let client: ClientSummary
    /// The hash of its secret; sealed.
    public let secretHash: Secret?
    /// Time of registration, in milliseconds since 1970 UTC.
    public let createdAt: Int64

    /// A client that was registered with the authority.
    public init(_ client: ClientSummary, secretHash: Secret? = nil, createdAt: Int64) {
        self.client = client
        self.secretHash = secretHash
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
    /// Time of first publication, in milliseconds since 1970 UTC.
    public let publishedAt: Int64
    /// Time from which it signs, in milliseconds since 1970 UTC.
    public let activeFrom: Int64
    /// Time at which it stopped signing, in milliseconds since 1970 UTC.
    public let retiredAt: Int64?
    /// Time from which it is no longer published, in milliseconds since 1970 UTC.
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
