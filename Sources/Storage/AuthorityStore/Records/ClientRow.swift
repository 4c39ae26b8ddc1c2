public import FlowModel
public import OAuth

/// A registered client of the authority.
public struct ClientRow: Hashable, Sendable {
    /// The description of the client.
    public let client: ClientSummary
    /// The hash of the client's secret, stored encrypted, or `nil` if the client has no secret.
    public let secretHash: Secret?
    /// The time of registration, in milliseconds since 1970 UTC.
    public let createdAt: Int64

    /// Creates a row for a registered client.
    public init(_ client: ClientSummary, secretHash: Secret? = nil, createdAt: Int64) {
        self.client = client
        self.secretHash = secretHash
        self.createdAt = createdAt
    }
}

/// A signing key as it is stored.
public struct SigningKeyRow: Hashable, Sendable {
    /// The key's `kid`.
    public let kid: String
    /// The signature algorithm: `ES256`, `EdDSA` or `RS256`.
    public let alg: String
    /// The private key, stored encrypted, or `nil` once the key is revoked or no longer published.
    public let secret: Secret?
    /// The public key as JWK text.
    public let jwk: String
    /// The state: `published`, `active`, `retired` or `revoked`.
    public let state: String
    /// When the key was first published, in milliseconds since 1970 UTC.
    public let publishedAt: Int64
    /// When the key starts to sign, in milliseconds since 1970 UTC.
    public let activeFrom: Int64
    /// When the key stopped signing, in milliseconds since 1970 UTC, or `nil` if it has not stopped.
    public let retiredAt: Int64?
    /// When the key stops being published, in milliseconds since 1970 UTC, or `nil` if no time is set.
    public let removeAt: Int64?

    /// Creates a row for a signing key.
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
