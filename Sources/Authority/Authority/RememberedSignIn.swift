import AuthorityStore
import FlowModel
import Foundation
import Moments
import OAuth
import Policies

/// Signs in a remembered user without a prompt, in a session created from the stored proof of an authentication.
///
/// The proof keeps its original time, so a request that requires a more recent authentication still prompts the user.
struct RememberedSignIn {
    let authority: Authority
    let caller: Caller
    let basis: RequestContext

    /// Returns an existing or a new session, or `nil` if no stored proof is sufficient for the request.
    ///
    /// If `user` is `nil`, all of the owner's sessions and stored proofs must belong to the same user.
    func resume(_ user: UserID?) async throws -> SessionRow? {
        let store = authority.store
        let kept = try await store.remembered.live(owner: caller.owner, user: user)
        guard !kept.isEmpty else { return nil }
        let others = user == nil ? try await store.sessions.live(owner: caller.owner).map(\.user) : []
        guard Set(kept.map(\.user) + others).count == 1 else { return nil }
        for remembered in kept {
            guard let session = session(of: remembered), signsIn(session),
                try await !isPasswordExpired(remembered.user)
            else { continue }
            let event = AuditEvent(
                .signInSucceeded,
                by: caller,
                user: remembered.user,
                client: basis.request.client,
                policy: basis.policy.id.description,
                detail: ["check": remembered.proof.check, "by": "remembered"]
            )
            if let session = try await store.remembered.resume(remembered, as: session, events: [event]) {
                return session
            }
        }
        return nil
    }

    /// Whether the user must choose a new password, for which only a sign-in flow can prompt.
    private func isPasswordExpired(_ user: UserID) async throws -> Bool {
        guard let user = try await authority.store.users.get(user) else { return false }
        if user.mustChangePassword { return true }
        let longest = basis.policy.password.expiresAfter
        return longest.map { !Proof.isRecent(user.passwordSetAt, within: $0, at: authority.clock.now) } ?? false
    }

    /// Returns a new session that expires no later than the proof, or `nil` if the proof's policy no longer exists.
    private func session(of remembered: RememberedProof) -> SessionRow? {
        guard let id = try? PolicyID(remembered.policy), let rule = basis.catalogue[id]?.session else { return nil }
        let now = authority.clock.now
        let ends = Deadline(rule.lifetime, after: now).earlier(remembered.ends)
        let absoluteEnd =
            switch rule.kind {
            case .rolling: remembered.ends
            case .absolute: ends
            }
        return SessionRow(
            id: Base64URL.encode(RefreshToken.random(16)),
            owner: remembered.owner,
            user: remembered.user,
            proofs: [remembered.proof],
            policy: remembered.policy,
            client: remembered.client,
            scope: remembered.scope,
            createdAt: now.wall,
            ends: ends,
            absoluteEnd: absoluteEnd
        )
    }

    /// Whether the stored proof is sufficient for the policy's sign-in, ignoring the request's additional checks.
    private func signsIn(_ session: SessionRow) -> Bool {
        let now = authority.clock.now
        let rule = ProofRule(policy: basis.policy, catalogue: basis.catalogue)
        return session.proofs.allSatisfy { rule.isRemembered($0, at: now) }
            && basis.policy.signInChecks.allSatisfy { rule.holds($0, by: session.proofs, at: now) }
            && ProvedSession(session).serves(basis, at: now)
    }
}
