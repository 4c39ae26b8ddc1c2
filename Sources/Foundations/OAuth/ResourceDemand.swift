/// The scope, authentication strength and authentication age that a resource requires of a token (RFC 9470 §3).
public struct ResourceDemand: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The scope that the token must have.
    public let scope: String
    /// The acceptable authentication contexts, or an empty array for any context.
    public let acrValues: [String]
    /// The maximum age of the authentication, in seconds, or `nil` for any age.
    public let maxAge: Int64?

    /// Creates a demand, by default for a scope only.
    public init(scope: String, acrValues: [String] = [], maxAge: Int64? = nil) {
        self.scope = scope
        self.acrValues = acrValues
        self.maxAge = maxAge
    }

    /// Creates a demand that requires only the scope given as a string literal.
    public init(stringLiteral scope: String) {
        self.init(scope: scope)
    }

    /// Whether a verified token's claims show a strong and recent enough authentication; the scope is not checked.
    ///
    /// `now` is in seconds since 1970 UTC, and `leeway` is the tolerated clock difference in seconds.
    public func isProven(by claims: [String: JSONValue], now: Int64, leeway: Int64) -> Bool {
        if !acrValues.isEmpty {
            guard let acr = claims["acr"]?.string, acrValues.contains(acr) else { return false }
        }
        guard let maxAge else { return true }
        guard let time = claims["auth_time"]?.numericDate else { return false }
        let age = now - time
        return age <= maxAge + leeway && age >= -leeway
    }
}
