public import Moments

/// The conditions for accepting a token.
public struct Expectations: Sendable {
    /// The largest tolerance between clocks, in seconds.
    public static let maxLeeway: Int64 = 60

    /// The kind of token.
    public let type: TokenType
    /// The accepted issuers.
    public let issuers: [String]
    /// The accepted audiences; `aud` must hold one of them.
    public let audiences: [String]
    /// The current time.
    public let now: Moment
    /// The tolerance for the issuer's clock, in seconds.
    public let leeway: Int64
    /// True if a token whose life has ended is accepted, as a hint may be (OpenID Connect Core §3.1.2.1).
    public let acceptsEnded: Bool
    /// True if a token must have `iat`; RFC 7523 §3 leaves it out at will.
    public let requiresIssuedAt: Bool

    /// Expects a token of one issuer.
    ///
    /// - Parameters:
    ///   - type: The kind of token.
    ///   - issuer: The required issuer.
    ///   - audiences: The accepted audiences.
    ///   - now: The current time.
    ///   - leewaySec: The tolerance for the issuer's clock in seconds, 0 to ``maxLeeway``.
    ///   - requiresIssuedAt: True if the token must have `iat`.
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

    /// Expects a token of one of several issuers that share their keys, such as the policies of one authority.
    ///
    /// - Parameters:
    ///   - type: The kind of token.
    ///   - issuers: The accepted issuers.
    ///   - audiences: The accepted audiences.
    ///   - now: The current time.
    ///   - leewaySec: The tolerance for the issuer's clock in seconds, 0 to ``maxLeeway``.
    ///   - acceptsEnded: True if a token whose life has ended is accepted.
    ///   - requiresIssuedAt: True if the token must have `iat`.
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
