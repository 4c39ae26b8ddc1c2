import Moments
import OAuth

/// The checks that are applied to a token's claims after the signature has been verified.
enum ClaimChecks {
    /// Checks and returns `iss` (RFC 7519 §4.1.1).
    static func issuer(_ claims: [String: JSONValue], _ expected: Expectations) throws(TokenError) -> String {
        guard let claim = claims["iss"] else { throw TokenError(.missingClaim, "iss is missing") }
        guard let issuer = claim.string, expected.issuers.contains(issuer) else {
            throw TokenError(.wrongIssuer, "iss is not an expected issuer")
        }
        return issuer
    }

    /// Checks and returns `aud` (RFC 7519 §4.1.3).
    static func audiences(_ claims: [String: JSONValue], _ expected: Expectations) throws(TokenError) -> [String] {
        guard let claim = claims["aud"] else { throw TokenError(.missingClaim, "aud is missing") }
        guard let audiences = claim.string.map({ [$0] }) ?? claim.strings else {
            throw TokenError(.malformed, "aud is neither a string nor an array of strings")
        }
        guard audiences.contains(where: expected.audiences.contains) else {
            throw TokenError(.wrongAudience, "aud contains no expected audience")
        }
        return audiences
    }

    /// Checks `exp`, `nbf`, `iat` and `auth_time`, and returns `exp` (RFC 7519 §4.1, OpenID Connect Core §2).
    ///
    /// `iat` and `auth_time` must be valid times, but they are not compared with the current time.
    static func times(_ claims: [String: JSONValue], _ expected: Expectations) throws(TokenError) -> Int64 {
        let now = expected.now.seconds
        guard let expiresAt = try time("exp", claims) else { throw TokenError(.missingClaim, "exp is missing") }
        guard expected.acceptsEnded || now < expiresAt + expected.leeway else {
            throw TokenError(.expired, "exp has passed")
        }
        if let notBefore = try time("nbf", claims), now + expected.leeway < notBefore {
            throw TokenError(.notYetValid, "nbf is in the future")
        }
        for name in ["iat", "auth_time"] { _ = try time(name, claims) }
        return expiresAt
    }

    /// Checks that required claims are present (RFC 9068 §2.2, OpenID Connect Core §2, Back-Channel Logout §2.4).
    static func required(_ claims: [String: JSONValue], _ expected: Expectations) throws(TokenError) {
        let names =
            switch expected.type {
            case .accessToken: ["sub", "client_id", "jti"]
            case .logoutToken: ["sub", "jti"]
            case .realmRequest: ["jti"]
            case .jwt: ["sub"]
            }
        for name in names where claims[name]?.string?.isEmpty != false {
            throw TokenError(.missingClaim, "\(name) is missing")
        }
        if expected.requiresIssuedAt, claims["iat"] == nil { throw TokenError(.missingClaim, "iat is missing") }
    }

    /// Returns the time in whole seconds that a claim contains, or `nil` if the claim is missing.
    private static func time(_ name: String, _ claims: [String: JSONValue]) throws(TokenError) -> Int64? {
        guard let claim = claims[name] else { return nil }
        guard let seconds = claim.numericDate else {
            throw TokenError(.malformed, "\(name) is not a time in whole seconds")
        }
        return seconds
    }
}
