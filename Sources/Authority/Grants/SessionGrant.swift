import AuthorityStore
import FlowModel
import Moments
import Policies
import Storage

/// The grant of a live session that meets the request.
struct SessionGrant: Grant {
    static let wireName: String? = nil
    static let name = "session"
    static let event = AuditKind.tokenIssued

    let session: String
    let request: ResolvedRequest

    func basis(_ context: GrantContext) async throws -> (GrantBasis, SessionRow) {
        let policy = try PolicyCheck.policy(
            request.policy.description,
            settings: context.settings,
            catalogue: context.catalogue
        )
        let client = try ClientCheck.client(request.client, clients: context.snapshot.clients)
        let basis = RequestBasis(request: request, policy: policy, catalogue: context.catalogue)
        guard let row = try await row(context),
            AuthorizationEndpoint.isMet(
                AuthorizationEndpoint.sessionChecks,
                by: ProvedSession(row),
                basis,
                at: context.now
            )
        else {
            throw Refusal(.interactionRequired, "the session has ended; sign in again")
        }
        let granted = GrantBasis(
            request: request,
            authentication: Authentication(user: row.user, proofs: row.proofs),
            policy: policy,
            client: client
        )
        return (granted, row)
    }

    func record(
        _ basis: GrantBasis,
        _ source: SessionRow,
        event: AuditEvent,
        _ context: GrantContext
    ) async throws -> FamilyRow {
        let family = try await basis.family(context, session: session)
        try await context.store.grants.issue(
            Issue(
                source: .session(id: session, prolongedUntil: prolongedUntil(source, context)),
                owner: context.caller.owner,
                user: basis.authentication.user,
                expectedEpoch: context.snapshot.epoch,
                family: family,
                events: [event]
            )
        )
        return family
    }

    /// The new end of a rolling session, which use prolongs as the policy that made it says; nil for others.
    private func prolongedUntil(_ row: SessionRow, _ context: GrantContext) -> Deadline? {
        guard let id = try? PolicyID(row.policy), let policy = context.catalogue[id],
            policy.session.kind == .rolling
        else { return nil }
        return Deadline(policy.session.lifetime, after: context.now)
    }

    private func row(_ context: GrantContext) async throws -> SessionRow? {
        try await context.store.sessions.live(owner: context.caller.owner, user: nil).first { $0.id == session }
    }
}
