/// A signing key of the authority, without the private key.
public struct KeySummary: Hashable, Sendable {
    /// The key id (RFC 7638).
    public let kid: String
    /// The signing algorithm, which is `ES256`, `EdDSA` or `RS256`.
    public let alg: String
    /// The state of the key, which is `published`, `active`, `retired` or `revoked`.
    public let state: String
    /// The time at which the key was first published, in milliseconds since 1970 UTC.
    public let publishedAt: Int64
    /// The time at which the key became active, in milliseconds since 1970 UTC, or `nil` if the key is not yet active.
    public let activeFrom: Int64?
    /// The time at which the key stopped signing, in milliseconds since 1970 UTC, or `nil` if the key is not retired.
    public let retiredAt: Int64?
    /// The time from which the key is no longer published, in milliseconds since 1970 UTC, or `nil` if no time is set.
    public let removeAt: Int64?

    /// Creates the summary of a key.
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
