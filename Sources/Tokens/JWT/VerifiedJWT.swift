public import OAuth

/// A JWT whose signature, kind, issuer, audience and times were found right; ``JWTVerifier`` makes it.
public struct VerifiedJWT: Sendable {
    /// The key that proved it.
    public let kid: String
    /// The algorithm it was proved with.
    public let alg: SigningAlgorithm
    /// Everything it claims.
    public let claims: [String: JSONValue]
    /// Who made it (`iss`).
    public let issuer: String
    /// Whom it is for (`aud`).
    public let audiences: [String]
    /// When it ends, in seconds since 1970 UTC (`exp`).
    public let expiresAt: Int64

    /// When it was made, in seconds since 1970 UTC (`iat`).
    public var issuedAt: Int64? { claims["iat"]?.int }
    /// Whom it is about (`sub`).
    public var subject: String? { claims["sub"]?.string }
    /// Its own name (`jti`).
    public var id: String? { claims["jti"]?.string }
    /// The client it was made for (`client_id`, RFC 9068 §2.2).
    public var clientID: String? { claims["client_id"]?.string }
    /// The scopes it grants (`scope`, RFC 9068 §2.2.3), or none where the claim is missing or malformed.
    public var scopes: [Scope] { (try? Scope.list(claims["scope"]?.string ?? "")) ?? [] }

    /// The claim of that name.
    public subscript(_ name: String) -> JSONValue? { claims[name] }

    /// The claim of that name, if it is a text.
    public func string(_ name: String) -> String? { claims[name]?.string }
}
