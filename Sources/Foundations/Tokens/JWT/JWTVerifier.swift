public import OAuth

/// Verifies JWTs (RFC 7519 §7.2, RFC 8725 §3, RFC 9068 §4).
public enum JWTVerifier {
    /// Verifies a token by the key it names.
    ///
    /// - Parameters:
    ///   - token: The token in compact form.
    ///   - keys: The trusted key of a name; there is no other key to fall back to.
    ///   - expected: The conditions that it must meet.
    ///   - known: Remembers tokens that were found good; none is remembered if left out.
    /// - Returns: The verified token.
    /// - Throws: ``TokenError`` for the first condition that is not met.
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
        guard let kid = token.kid else { throw TokenError(.unknownKey, "the token names no key") }
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

    /// Verifies a token by a key that was looked up for it.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - key: The trusted key of the name that the token has; another key is refused.
    ///   - expected: The conditions that it must meet.
    /// - Returns: The verified token.
    /// - Throws: ``TokenError`` for the first condition that is not met.
    public static func verify(
        _ token: UnverifiedJWT,
        key: VerificationKey,
        expected: Expectations
    ) throws(TokenError) -> VerifiedJWT {
        guard token.kid == key.kid else { throw TokenError(.unknownKey, "the token names another key") }
        return try verify(token, onlyKey: key, expected: expected)
    }

    /// Verifies a token by the one key that its issuer has, whatever name the token gives it.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - key: The issuer's only key.
    ///   - expected: The conditions that it must meet.
    /// - Returns: The verified token.
    /// - Throws: ``TokenError`` for the first condition that is not met.
    public static func verify(
        _ token: UnverifiedJWT,
        onlyKey key: VerificationKey,
        expected: Expectations
    ) throws(TokenError) -> VerifiedJWT {
        guard token.alg == key.alg.rawValue else { throw foreignAlgorithm }
        guard key.verifies(signature: token.signature, over: token.signed) else {
            throw TokenError(.badSignature, "the signature is not the key's")
        }
        return try verify(typ: token.typ, key, expected, claims: token.unverifiedClaims)
    }

    private static var foreignAlgorithm: TokenError {
        TokenError(.algorithmMismatch, "the token's alg is not its key's")
    }

    /// Checks everything but the signature.
    private static func verify(
        typ: String?,
        _ key: VerificationKey,
        _ expected: Expectations,
        claims: () throws(TokenError) -> [String: JSONValue]
    ) throws(TokenError) -> VerifiedJWT {
        guard expected.type.accepts(typ) else {
            throw TokenError(.wrongType, "the token is of another kind than \(expected.type.rawValue)")
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
