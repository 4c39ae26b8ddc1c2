public import Moments

/// The conditions that a token must satisfy to be accepted.
public struct Expectations: Sendable {
    /// The maximum value of ``leeway``, in seconds.
    public static let maxLeeway: Int64 = 60

    /// The required type of token.
    public let type: TokenType
    /// The accepted issuers (values of `iss`).
    public let issuers: [String]
    /// The accepted audiences, of which the token's `aud` must contain at least one.
    public let audiences: [String]
    /// The current time, which `exp` and `nbf` are compared with.
    public let now: Moment
    /// The tolerance for differences between the issuer's clock and ``now``, in seconds from 0 to ``maxLeeway``.
    public let leeway: Int64
    /// Whether an expired token is accepted, as allowed for ID token hints (OpenID Connect Core §3.1.2.1).
    public let acceptsEnded: Bool
    /// Whether a token must have `iat`, which is optional in RFC 7523 §3.
    public let requiresIssuedAt: Bool

    /// Creates the expectations for a token from one issuer.
    public init(
        type: TokenType,
        issuer: String,
        audiences: [String],
        now: Moment,
        leewaySec: Int64 = 0,
        requiresIssuedAt: Bool = true
    ) {
        self.init(
            type: type,
            issuers: [issuer],
            audiences: audiences,
            now: now,
            leewaySec: leewaySec,
            requiresIssuedAt: requiresIssuedAt
        )
    }

    /// Creates the expectations for a token from one of several issuers that share their keys.
    public init(
        type: TokenType,
        issuers: [String],
        audiences: [String],
        now: Moment,
        leewaySec: Int64 = 0,
        acceptsEnded: Bool = false,
        requiresIssuedAt: Bool = true
    ) {
        precondition((0...Self.maxLeeway).contains(leewaySec), "the leeway is out of range")
        self.type = type
        self.issuers = issuers
        self.audiences = audiences
        self.now = now
        leeway = leewaySec
        self.acceptsEnded = acceptsEnded
        self.requiresIssuedAt = requiresIssuedAt
    }
}
