public import FlowModel
public import Moments
public import OAuth
import OpenIDClient
public import Policies
public import Tokens

/// A signed JWT in which a custom identity provider asserts a user's identity (RFC 7523 §3).
public struct Assertion: Sendable {
    /// The maximum validity period of an assertion, in seconds.
    public static let longestLife: Int64 = 3_600
    /// The maximum difference between the provider's clock and this server's clock, in seconds.
    static let leeway: Int64 = 60
    /// The maximum length of a `jti` claim, in bytes.
    private static let longestID = 256
    /// The names of the claims that are not user attributes.
    private static let registered: Set = ["iss", "sub", "aud", "exp", "nbf", "iat", "jti", "name", "scope"]

    /// The user's identity at the provider.
    public let identity: ExternalIdentity
    /// The `jti` claim, which allows only one use of the assertion, or `nil` if the claim is missing.
    public let id: String?
    /// When the assertion expires, in seconds since 1970 UTC.
    public let expiresAt: Int64

    /// Returns the user name in an unverified assertion, or `nil` if the name cannot be read.
    public static func claimedName(_ statement: Secret) -> String? {
        (try? UnverifiedJWT(statement.reveal()).unverifiedClaims())?["sub"]?.string
    }

    /// Verifies an assertion, and reads its claims, or throws a `TokenError`.
    ///
    /// It must be signed with RS256 and the provider's key, expire within an hour, and have an audience in `audiences`.
    public init(
        _ statement: Secret,
        of realm: AssertionRealm,
        audiences: [String],
        now: Moment
    ) throws(TokenError) {
        let token = try JWTVerifier.verify(
            try UnverifiedJWT(statement.reveal()),
            onlyKey: try VerificationKey(jwk: realm.publicKey.jwk),
            expected: Expectations(
                type: .jwt,
                issuer: realm.issuer,
                audiences: audiences,
                now: now,
                leewaySec: Self.leeway
            )
        )
        guard token.expiresAt <= now.seconds + Self.longestLife + Self.leeway else {
            throw TokenError(.malformed, "the assertion is valid for more than an hour")
        }
        guard let issuedAt = token["iat"]?.int, issuedAt <= now.seconds + Self.leeway else {
            throw TokenError(.notYetValid, "iat is in the future")
        }
        if let id = token.id, !(1...Self.longestID).contains(id.utf8.count) {
            throw TokenError(.malformed, "jti is empty or too long")
        }
        let said: JSONValue = [
            "userName": token["sub"] ?? .null, "displayName": token["name"] ?? .null,
            "attributes": .object(token.claims.filter { !Self.registered.contains($0.key) }),
        ]
        do {
            identity = try RealmAnswer.identity(said, realm.name)
        } catch {
            throw TokenError(.malformed, error.detail)
        }
        id = token.id
        expiresAt = token.expiresAt
    }
}
