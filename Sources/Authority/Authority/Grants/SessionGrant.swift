import AuthorityStore
import FlowModel
import Moments
import OAuth
import Policies
import Storage

/// A grant that is based on a live session that satisfies the request.
struct SessionGrant: ProvedGrant {
    static let name = "session"
    static let event = AuditKind.tokenIssued

    let session: String
    let request: ResolvedRequest

    var sessionID: String? { session }

    func basis(_ context: GrantContext) async throws -> (GrantDecision, SessionRow) {
        let policy = try PolicyCheck.policy(request.policy.description, in: context.catalogue)
        let client = try ClientCheck.client(request.client, clients: context.snapshot.clients)
        let basis = RequestContext(request: request, policy: policy, catalogue: context.catalogue)
        guard let row = try await row(context),
            ProvedSession(row).answers(basis, at: context.now)
        else {
            throw Refusal(.interactionRequired, Text("refusal.sessionEnded"))
        }
        let granted = GrantDecision(
            request: request,
            authentication: Authentication(user: row.user, proofs: row.proofs),
            policy: policy,
            client: client
        )
        return (granted, row)
    }

    func proof(_ source: SessionRow, _ context: GrantContext) -> Issue.Source {
        .session(id: source.id, prolongedUntil: prolongedUntil(source, context))
    }

    func code(_ context: GrantContext) -> Secret { OpaqueCode.random(at: context.now) }

    func consented(_ basis: GrantDecision) -> [String] { [] }

    /// Returns the session's new expiry time, or `nil` if using the session does not extend its lifetime.
    private func prolongedUntil(_ row: SessionRow, _ context: GrantContext) -> Deadline? {
        guard let id = try? PolicyID(row.policy), let rule = context.catalogue[id]?.session else { return nil }
        switch rule.kind {
        case .rolling: return Deadline(rule.lifetime, after: context.now)
        case .absolute: return nil
        }
    }

    private func row(_ context: GrantContext) async throws -> SessionRow? {
        try await context.store.sessions.live(owner: context.caller.owner, user: nil).first { $0.id == session }
    }
}
