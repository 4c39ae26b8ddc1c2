import AuthorityStore
import Moments
import OAuth
import Tokens

/// A JWT that a client signs to authenticate itself (RFC 7523 §3, OpenID Connect Core §9).
enum ClientAssertion {
    /// The maximum lifetime in seconds, which is one hour, as is common in client libraries.
    static let longestLife: Int64 = 3_600
    static let leeway: Int64 = 60

    /// Reads the client id from an unverified assertion.
    ///
    /// - Throws: `invalid_client` if the assertion is malformed, if `iss` and `sub` differ, or if `named` is not
    ///   `nil` and differs from them.
    static func client(_ statement: String, named: String?) throws(OAuthError) -> String {
        let claims: [String: JSONValue]
        do {
            claims = try UnverifiedJWT(statement).unverifiedClaims()
        } catch {
            throw .invalidClient(detail: "client_assertion: \(error)")
        }
        guard let client = claims["sub"]?.string, claims["iss"]?.string == client, named == nil || named == client
        else { throw .invalidClient(detail: "iss, sub and client_id of a client_assertion are not the same client") }
        return client
    }

    /// Verifies an assertion for one of `audiences`, and records its `jti` so that it cannot be used again.
    ///
    /// - Throws: `invalid_client`, with a description of the first condition that is not met.
    static func verify(
        _ statement: Secret,
        of client: OAuthClient,
        audiences: [String],
        store: AuthorityStore,
        now: Moment
    ) async throws {
        let token: VerifiedJWT
        do {
            token = try JWTVerifier.verify(
                statement.reveal(),
                keys: { client.keys?.key(kid: $0) },
                expected: Expectations(
                    type: .jwt,
                    issuer: client.id,
                    audiences: audiences,
                    now: now,
                    leewaySec: leeway,
                    requiresIssuedAt: false
                )
            )
        } catch {
            throw OAuthError.invalidClient(detail: "client_assertion: \(error)")
        }
        guard token.issuedAt.map({ $0 <= now.seconds + leeway }) ?? true else {
            throw OAuthError.invalidClient(detail: "client_assertion: iat is in the future")
        }
        guard token.expiresAt <= now.seconds + longestLife + leeway else {
            throw OAuthError.invalidClient(detail: "client_assertion is valid for more than an hour")
        }
        guard let id = token.id, (1...256).contains(id.utf8.count) else {
            throw OAuthError.invalidClient(detail: "client_assertion has no jti, or one that is too long")
        }
        guard try await store.spentIDs.spend(client.id, id, of: .assertion, by: client.id, until: token.expiresAt)
        else {
            throw OAuthError.invalidClient(detail: "client_assertion was used before")
        }
    }
}
