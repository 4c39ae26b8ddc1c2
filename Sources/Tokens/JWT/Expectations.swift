public import Moments

/// What a token must be to be believed.
public struct Expectations: Sendable {
    /// Longest difference of clocks that can be allowed, in seconds.
    public static let maxLeeway: Int64 = 60

    /// The kind of token.
    public let type: TokenType
    /// Who may have made it.
    public let issuers: [String]
    /// Whom it may be for; one of these must stand in `aud`.
    public let audiences: [String]
    /// What time it is.
    public let now: Moment
    /// How many seconds the issuer's clock may differ.
    public let leeway: Int64

    /// Expects a token of one issuer.
    ///
    /// - Parameters:
    ///   - type: The kind of token.
    ///   - issuer: Who must have made it.
    ///   - audiences: Whom it may be for.
    ///   - now: What time it is.
    ///   - leewaySec: How many seconds the issuer's clock may differ, 0 to ``maxLeeway``.
    public init(type: TokenType, issuer: String, audiences: [String], now: Moment, leewaySec: Int64 = 0) {
        self.init(type: type, issuers: [issuer], audiences: audiences, now: now, leewaySec: leewaySec)
    }

    /// Expects a token of one of several issuers that share their keys, such as the policies of one authority.
    ///
    /// - Parameters:
    ///   - type: The kind of token.
    ///   - issuers: Who may have made it.
    ///   - audiences: Whom it may be for.
    ///   - now: What time it is.
    ///   - leewaySec: How many seconds the issuer's clock may differ, 0 to ``maxLeeway``.
    public init(type: TokenType, issuers: [String], audiences: [String], now: Moment, leewaySec: Int64 = 0) {
        precondition((0...Self.maxLeeway).contains(leewaySec), "the leeway is out of range")
        self.type = type
        self.issuers = issuers
        self.audiences = audiences
        self.now = now
        leeway = leewaySec
    }
}
