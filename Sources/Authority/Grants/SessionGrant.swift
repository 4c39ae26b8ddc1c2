import AuthorityStore
import FlowModel
import Moments
import Policies
import Storage

/// A live session that meets the request.
struct SessionGrant: Grant {
    static let wireName: String? = nil
    static let name = "session"

    let session: String
    let request: ResolvedRequest

    func basis(_ scene: GrantScene) async throws -> GrantBasis {
        let policy = try PolicyCheck.policy(
            request.policy.description,
            settings: scene.settings,
            catalogue: scene.catalogue
        )
        let client = try ClientCheck.client(request.client, clients: scene.snapshot.clients)
        let basis = RequestBasis(request: request, policy: policy, catalogue: scene.catalogue)
        guard let row = try await row(scene),
            AuthorizationEndpoint.isMet(
                AuthorizationEndpoint.sessionChecks,
                by: ProvedSession(row),
                basis,
                at: scene.now
            )
        else {
            throw Refusal(.interactionRequired, "the session has ended; sign in again")
        }
        return GrantBasis(
            request: request,
            authentication: Authentication(user: row.user, proofs: row.proofs),
            policy: policy,
            client: client
        )
    }

    func record(_ basis: GrantBasis, event: AuditEvent, _ scene: GrantScene) async throws -> FamilyRow {
        let family = try await basis.family(scene, session: session)
        try await scene.store.grants.issue(
            Issue(
                source: .session(id: session, prolongedUntil: try await prolongedUntil(scene)),
                owner: scene.asker.owner,
                user: basis.authentication.user,
                expectedEpoch: scene.snapshot.epoch,
                family: family,
                events: [event]
            )
        )
        return family
    }

    /// A rolling session is prolonged by use, as the policy says that made it.
    private func prolongedUntil(_ scene: GrantScene) async throws -> Deadline? {
        guard let row = try await row(scene), let id = try? PolicyID(row.policy), let policy = scene.catalogue[id],
            policy.session.kind == .rolling
        else { return nil }
        return Deadline(policy.session.lifetime, after: scene.now)
    }

    private func row(_ scene: GrantScene) async throws -> SessionRow? {
        try await scene.store.sessions.live(owner: scene.asker.owner, user: nil).first { $0.id == session }
    }
}
