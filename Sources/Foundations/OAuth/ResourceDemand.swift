/// The demands of a protected resource on a token: a scope, and a proof of identity that is strong and recent enough
/// (RFC 9470 §3).
public struct ResourceDemand: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The scope.
    public let scope: String
    /// The authentication contexts of which the token must have one; empty means any.
    public let acrValues: [String]
    /// The greatest age of the proof of identity, in seconds; nil means any.
    public let maxAge: Int64?

    /// A demand; parameters left out ask for nothing.
    public init(scope: String, acrValues: [String] = [], maxAge: Int64? = nil) {
        self.scope = scope
        self.acrValues = acrValues
        self.maxAge = maxAge
    }

    /// The demand of a scope alone.
    public init(stringLiteral scope: String) {
        self.init(scope: scope)
    }

    /// True if claims of a token prove an authentication that is strong and recent enough.
    ///
    /// - Parameters:
    ///   - claims: The claims of a token that was verified.
    ///   - now: Seconds since 1970 UTC.
    ///   - leeway: The tolerated difference between the clocks, in seconds.
    /// - Returns: False for a token without a claim that is asked for.
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
