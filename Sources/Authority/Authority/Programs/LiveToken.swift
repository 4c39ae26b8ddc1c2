import AuthorityStore
import FlowModel
import Moments
import OAuth
import Policies
import Tokens

/// An access token of this authority that is not expired or revoked, and whose user and client still exist.
struct LiveToken {
    let token: VerifiedJWT
    /// The token's family, or `nil` if the token was issued by the client credentials grant, which creates no family.
    let family: AuthorityStore.Families.Standing?
    /// The token's `jti`.
    let id: String
    let client: String

    /// Verifies an access token, and returns `nil` if the token is not valid or was not issued by `policy`.
    static func find(_ token: Secret, of policy: PolicyID, _ authority: Authority) async throws -> LiveToken? {
        let settings = authority.settings()
        let snapshot = try await authority.memory.snapshot()
        let verified = try? JWTVerifier.verify(
            token.reveal(),
            keys: { snapshot.ring.verifier($0) },
            expected: Expectations(
                type: .accessToken,
                issuer: settings.issuer(of: policy),
                audiences: snapshot.audiences,
                now: authority.clock.now
            ),
            known: authority.memory.signatures
        )
        guard let verified, let id = verified.id, let client = verified.clientID, snapshot.clients[client] != nil
        else { return nil }
        guard let name = TokenID.family(id) else {
            guard try await !authority.store.spentIDs.isSpent(id, of: .accessToken) else { return nil }
            return LiveToken(token: verified, family: nil, id: id, client: client)
        }
        guard let family = try await authority.store.families.standing(of: id, in: name) else { return nil }
        return LiveToken(token: verified, family: family, id: id, client: client)
    }
}
