import AuthorityStore
import FlowModel
import Moments
import OAuth
import Policies
import Tokens

/// An access token of this authority that still counts: signed by us, in time, and neither it nor its family, its person
/// or its client is gone.
struct LiveToken {
    /// The token.
    let token: VerifiedJWT
    /// The family it belongs to, with its person; nil for a client's own.
    let family: AuthorityStore.Families.Standing?
    /// Its id.
    let id: String
    /// The client it was issued to.
    let client: String

    /// Verifies a token of one policy; nil if it does not count.
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
