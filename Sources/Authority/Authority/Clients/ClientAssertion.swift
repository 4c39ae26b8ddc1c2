import AuthorityStore
import Moments
import OAuth
import Tokens

/// A statement that a client signs to prove who it is (RFC 7523 §3, OpenID Connect Core §9).
enum ClientAssertion {
    /// The longest time for which a statement may be good, in seconds; clients' libraries make them good for an hour.
    static let longestLife: Int64 = 3_600
    /// The tolerance for the client's clock, in seconds.
    static let leeway: Int64 = 60

    /// Reads the client that a statement names; nothing is proved by it.
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

    /// Verifies a statement and uses its `jti` up.
    ///
    /// - Parameters:
    ///   - statement: The statement.
    ///   - client: The client that it names.
    ///   - audiences: The names of this authority: the issuer, and the address of the endpoint.
    ///   - store: Keeps the ids that were used.
    ///   - now: The current time.
    /// - Throws: `invalid_client` for the first condition that is not met.
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
            throw OAuthError.invalidClient(detail: "client_assertion: iat has not come")
        }
        guard token.expiresAt <= now.seconds + longestLife + leeway else {
            throw OAuthError.invalidClient(detail: "client_assertion is good for more than an hour")
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
