import AuthorityStore
import FlowModel
import Foundation
import Moments
import OAuth
import Policies

/// The sign-in of a person who asked to be remembered: a session out of the proof that is kept, without a question.
///
/// The proof keeps its time, so that `auth_time` says when the password was given, and a request that wants a newer proof
/// asks for it.
struct RememberedSignIn {
    let authority: Authority
    let caller: Caller
    let basis: RequestContext

    /// Makes the session, unless it was made before and is still live.
    ///
    /// - Parameter user: The person; nil for the only one whom the owner has a session or a kept proof of.
    /// - Returns: The session; nil if no proof is kept by which the person would be signed in for the request.
    /// - Throws: The error of the store.
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

    /// True if the person would have to choose another password, which only a sign-in asks for.
    private func isPasswordExpired(_ user: UserID) async throws -> Bool {
        guard let user = try await authority.store.users.get(user) else { return false }
        if user.mustChangePassword { return true }
        let longest = basis.policy.password.expiresAfter
        return longest.map { !Proof.isRecent(user.passwordSetAt, within: $0, at: authority.clock.now) } ?? false
    }

    /// The session as the policy makes it that the proof was given for; it ends with the proof at the latest.
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

    /// True if the policy signs in by the session's proof; what it asks for besides may be missing.
    private func signsIn(_ session: SessionRow) -> Bool {
        let now = authority.clock.now
        let rule = ProofRule(policy: basis.policy, catalogue: basis.catalogue)
        return session.proofs.allSatisfy { rule.isRemembered($0, at: now) }
            && basis.policy.signInChecks.allSatisfy { rule.holds($0, by: session.proofs, at: now) }
            && ProvedSession(session).serves(basis, at: now)
    }
}
