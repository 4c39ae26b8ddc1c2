public import Moments

/// The conditions for accepting a token.
public struct Expectations: Sendable {
    /// The maximum clock tolerance, in seconds.
    public static let maxLeeway: Int64 = 60

    /// The required type of token.
    public let type: TokenType
    /// The accepted issuers, one of which `iss` must equal.
    public let issuers: [String]
    /// The accepted audiences.
    ///
    /// `aud` must contain one of them.
    public let audiences: [String]
    /// The current time, which `exp` and `nbf` are compared with.
    public let now: Moment
    /// The tolerance for the issuer's clock, in seconds.
    public let leeway: Int64
    /// Whether an expired token is accepted, as allowed for ID token hints (OpenID Connect Core §3.1.2.1).
    public let acceptsEnded: Bool
    /// Whether a token must have `iat`, which is optional in RFC 7523 §3.
    public let requiresIssuedAt: Bool

    /// Creates the expectations for a token from one issuer.
    ///
    /// - Parameters:
    ///   - type: The required type of token.
    ///   - issuer: The required issuer.
    ///   - audiences: The accepted audiences.
    ///   - now: The current time.
    ///   - leewaySec: The tolerance for the issuer's clock in seconds, 0 to ``maxLeeway``.
    ///   - requiresIssuedAt: Whether the token must have `iat`.
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

    /// Creates the expectations for a token from one of several issuers that share their keys, such as the policies of
    /// one authority.
    ///
    /// - Parameters:
    ///   - type: The required type of token.
    ///   - issuers: The accepted issuers.
    ///   - audiences: The accepted audiences.
    ///   - now: The current time.
    ///   - leewaySec: The tolerance for the issuer's clock in seconds, 0 to ``maxLeeway``.
    ///   - acceptsEnded: Whether an expired token is accepted.
    ///   - requiresIssuedAt: Whether the token must have `iat`.
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
