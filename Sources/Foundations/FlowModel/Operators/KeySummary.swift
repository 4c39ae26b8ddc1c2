/// A signing key of the authority without the key itself.
public struct KeySummary: Hashable, Sendable {
    /// The key id (RFC 7638).
    public let kid: String
    /// The algorithm: `ES256`, `EdDSA` or `RS256`.
    public let alg: String
    /// `published`, `active`, `retired` or `revoked`.
    public let state: String
    /// Time of first publication, in milliseconds since 1970 UTC.
    public let publishedAt: Int64
    /// Time from which it signs, in milliseconds since 1970 UTC.
    public let activeFrom: Int64?
    /// Time at which it stopped signing, in milliseconds since 1970 UTC.
    public let retiredAt: Int64?
    /// Time from which it is no longer published, in milliseconds since 1970 UTC.
    public let removeAt: Int64?

    /// A signing key.
    public init(
        kid: String,
        alg: String,
        state: String,
        publishedAt: Int64,
        activeFrom: Int64? = nil,
        retiredAt: Int64? = nil,
        removeAt: Int64? = nil
    ) {
        self.kid = kid
        self.alg = alg
        self.state = state
        self.publishedAt = publishedAt
        self.activeFrom = activeFrom
        self.retiredAt = retiredAt
        self.removeAt = removeAt
    }
}
