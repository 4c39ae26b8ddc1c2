public import OAuth

/// A JWT whose signature, kind, issuer, audience and times were verified; ``JWTVerifier`` makes it.
public struct VerifiedJWT: Sendable {
    /// The id of the key that verified it.
    public let kid: String
    /// The algorithm of its signature.
    public let alg: SigningAlgorithm
    /// All claims by name.
    public let claims: [String: JSONValue]
    /// The issuer (`iss`).
    public let issuer: String
    /// The audiences (`aud`).
    public let audiences: [String]
    /// The expiry, in seconds since 1970 UTC (`exp`).
    public let expiresAt: Int64

    /// The time of issue, in seconds since 1970 UTC (`iat`).
    public var issuedAt: Int64? { claims["iat"]?.int }
    /// The subject (`sub`).
    public var subject: String? { claims["sub"]?.string }
    /// The token's id (`jti`).
    public var id: String? { claims["jti"]?.string }
    /// The client it was issued to (`client_id`, RFC 9068 §2.2).
    public var clientID: String? { claims["client_id"]?.string }
    /// The scopes it grants (`scope`, RFC 9068 §2.2.3), or none where the claim is missing or malformed.
    public var scopes: [Scope] { (try? Scope.list(claims["scope"]?.string ?? "")) ?? [] }

    /// The claim of that name.
    public subscript(_ name: String) -> JSONValue? { claims[name] }

    /// Returns the claim of that name, if it is a string.
    public func string(_ name: String) -> String? { claims[name]?.string }
}
