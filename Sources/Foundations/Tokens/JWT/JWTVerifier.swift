public import OAuth

/// Verifies JWTs (RFC 7519 §7.2, RFC 8725 §3, RFC 9068 §4).
public enum JWTVerifier {
    /// Verifies a token with the key that the token's `kid` identifies, and tries no other key.
    ///
    /// `keys` returns a trusted key by its id, and `known` caches tokens whose signatures are already verified.
    ///
    /// - Throws: ``TokenError`` for the first condition that the token does not satisfy.
    public static func verify(
        _ token: String,
        keys: (_ kid: String) -> VerificationKey?,
        expected: Expectations,
        known: KnownSignatures? = nil
    ) throws(TokenError) -> VerifiedJWT {
        let name = known.map { _ in KnownSignatures.name(token) }
        if let name, let before = known?[name] {
            let key = try trusted(before.kid, keys)
            guard before.alg == key.alg.rawValue else { throw foreignAlgorithm }
            return try verify(typ: before.typ, key, expected) { before.claims }
        }
        let token = try UnverifiedJWT(token)
        guard let kid = token.kid else { throw TokenError(.unknownKey, "the token has no kid") }
        let verified = try verify(token, onlyKey: try trusted(kid, keys), expected: expected)
        if let name {
            let good = KnownSignatures.Known(alg: token.alg, kid: kid, typ: token.typ, claims: verified.claims)
            known?.remember(name, good)
        }
        return verified
    }

    private static func trusted(
        _ kid: String,
        _ keys: (_ kid: String) -> VerificationKey?
    ) throws(TokenError) -> VerificationKey {
        guard let key = keys(kid) else { throw TokenError(.unknownKey, "the token's key is not trusted") }
        guard kid == key.kid else { throw TokenError(.unknownKey, "the token names another key") }
        return key
    }

    /// Verifies a token with a trusted key that was looked up by the token's key id.
    ///
    /// - Throws: ``TokenError`` if the key ids differ, or for the first condition that the token does not satisfy.
    public static func verify(
        _ token: UnverifiedJWT,
        key: VerificationKey,
        expected: Expectations
    ) throws(TokenError) -> VerifiedJWT {
        guard token.kid == key.kid else { throw TokenError(.unknownKey, "the token names another key") }
        return try verify(token, onlyKey: key, expected: expected)
    }

    /// Verifies a token with the issuer's only key, regardless of the key id in the token.
    ///
    /// - Throws: ``TokenError`` for the first condition that the token does not satisfy.
    public static func verify(
        _ token: UnverifiedJWT,
        onlyKey key: VerificationKey,
        expected: Expectations
    ) throws(TokenError) -> VerifiedJWT {
        guard token.alg == key.alg.rawValue else { throw foreignAlgorithm }
        guard key.verifies(signature: token.signature, over: token.signed) else {
            throw TokenError(.badSignature, "the signature does not match the key")
        }
        return try verify(typ: token.typ, key, expected, claims: token.unverifiedClaims)
    }

    private static var foreignAlgorithm: TokenError {
        TokenError(.algorithmMismatch, "the token's alg does not match its key")
    }

    /// Checks the type and the claims of a token whose signature is already verified.
    private static func verify(
        typ: String?,
        _ key: VerificationKey,
        _ expected: Expectations,
        claims: () throws(TokenError) -> [String: JSONValue]
    ) throws(TokenError) -> VerifiedJWT {
        guard expected.type.accepts(typ) else {
            throw TokenError(.wrongType, "the token is not of type \(expected.type.rawValue)")
        }
        let claims = try claims()
        let issuer = try ClaimChecks.issuer(claims, expected)
        let audiences = try ClaimChecks.audiences(claims, expected)
        let expiresAt = try ClaimChecks.times(claims, expected)
        try ClaimChecks.required(claims, expected)
        return VerifiedJWT(
            kid: key.kid,
            alg: key.alg,
            claims: claims,
            issuer: issuer,
            audiences: audiences,
            expiresAt: expiresAt
        )
    }
}

/// A JWT whose signature, type and claims ``JWTVerifier`` has verified.
public struct VerifiedJWT: Sendable {
    /// The id of the key that the signature was verified with.
    public let kid: String
    /// The signature algorithm.
    public let alg: SigningAlgorithm
    /// All claims by name.
    public let claims: [String: JSONValue]
    /// The issuer (`iss`).
    public let issuer: String
    /// The audiences (`aud`).
    public let audiences: [String]
    /// The expiry time (`exp`), in seconds since 1970 UTC.
    public let expiresAt: Int64

    /// The time of issue (`iat`), in seconds since 1970 UTC, or `nil` if the claim is missing.
    public var issuedAt: Int64? { claims["iat"]?.int }
    /// The subject (`sub`), or `nil` if the claim is missing.
    public var subject: String? { claims["sub"]?.string }
    /// The token id (`jti`), or `nil` if the claim is missing.
    public var id: String? { claims["jti"]?.string }
    /// The client that the token was issued to (`client_id`, RFC 9068 §2.2), or `nil` if the claim is missing.
    public var clientID: String? { claims["client_id"]?.string }
    /// The granted scopes (`scope`, RFC 9068 §2.2.3), or an empty array if the claim is missing or malformed.
    public var scopes: [Scope] { (try? Scope.list(claims["scope"]?.string ?? "")) ?? [] }

    /// Returns the claim with the given name, or `nil` if it is missing.
    public subscript(_ name: String) -> JSONValue? { claims[name] }

    /// Returns the claim with the given name, or `nil` if it is missing or not a string.
    public func string(_ name: String) -> String? { claims[name]?.string }
}
