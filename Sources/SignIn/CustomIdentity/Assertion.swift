public import FlowModel
public import Moments
public import OAuth
import OpenIDClient
public import Policies
public import Tokens

/// A statement about a person that a provider of one's own has signed (RFC 7523 §3).
public struct Assertion: Sendable {
    /// The longest time for which a statement may be good, in seconds.
    public static let longestLife: Int64 = 3_600
    /// The tolerance for the provider's clock, in seconds.
    static let leeway: Int64 = 60
    /// The longest `jti`, in bytes.
    private static let longestID = 256
    /// The claims that say nothing of the person.
    private static let registered: Set = ["iss", "sub", "aud", "exp", "nbf", "iat", "jti", "name", "scope"]

    /// The person.
    public let identity: ExternalIdentity
    /// Its name, by which it is good once; nil for one that has none.
    public let id: String?
    /// Its end, in seconds since 1970 UTC.
    public let expiresAt: Int64

    /// The name that a statement claims to be about, of which nothing is proved.
    public static func claimedName(_ statement: Secret) -> String? {
        (try? UnverifiedJWT(statement.reveal()).unverifiedClaims())?["sub"]?.string
    }

    /// Verifies a statement: RS256 by the provider's key, for this authority, and for an hour at most.
    ///
    /// - Parameters:
    ///   - statement: The statement, a JWT.
    ///   - realm: The provider.
    ///   - audiences: The names of this authority.
    ///   - now: The current time.
    /// - Throws: `TokenError` for the first condition that is not met.
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
            throw TokenError(.malformed, "the statement is good for more than an hour")
        }
        guard let issuedAt = token["iat"]?.int, issuedAt <= now.seconds + Self.leeway else {
            throw TokenError(.notYetValid, "iat has not come")
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
