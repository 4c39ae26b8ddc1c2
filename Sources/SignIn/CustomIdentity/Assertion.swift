public import FlowModel
public import Moments
public import OAuth
import OpenIDClient
public import Policies
public import Tokens

/// An assertion about a user, signed by a custom identity provider (RFC 7523 §3).
public struct Assertion: Sendable {
    /// The maximum validity period of an assertion, in seconds.
    public static let longestLife: Int64 = 3_600
    /// The tolerance for differences between the clocks of the provider and this authority, in seconds.
    static let leeway: Int64 = 60
    /// The maximum length of a `jti`, in bytes.
    private static let longestID = 256
    /// The names of the claims that are not user attributes.
    private static let registered: Set = ["iss", "sub", "aud", "exp", "nbf", "iat", "jti", "name", "scope"]

    /// The user's identity at the provider.
    public let identity: ExternalIdentity
    /// The `jti`, which ensures that the assertion is used only once, or `nil` if the assertion has none.
    public let id: String?
    /// The assertion's expiry, in seconds since 1970 UTC.
    public let expiresAt: Int64

    /// Returns the user name in an unverified assertion, or `nil` if the name cannot be read.
    public static func claimedName(_ statement: Secret) -> String? {
        (try? UnverifiedJWT(statement.reveal()).unverifiedClaims())?["sub"]?.string
    }

    /// Verifies that an assertion is signed with RS256 by the provider's key, addressed to one of `audiences`, and
    /// valid for at most an hour.
    ///
    /// - Throws: `TokenError` for the first requirement that is not satisfied.
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
