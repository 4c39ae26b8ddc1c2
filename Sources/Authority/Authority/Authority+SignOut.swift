import AuthorityStore
public import FlowModel
import Moments
import Storage
import StoreRefusals

extension Authority {
    /// Counts of the things that a sign-out ended.
    public struct Ended: Hashable, Sendable {
        /// Sessions.
        public let sessions: Int
        /// Refresh-token families.
        public let families: Int
        /// Open flows.
        public let flows: Int
    }

    /// Ends the owner's sessions, families and flows of one person, or of everybody.
    public func signOut(user: UserID?, _ caller: Caller) async throws -> Ended {
        try await Self.rows.storing {
            let ended = user.map { "of \($0)" } ?? "of all"
            let removed = try await store.sessions.signOut(
                owner: caller.owner,
                user: user,
                events: [AuditEvent(.signOut, by: caller, user: user, detail: ["sessions": ended])]
            ) { family in
                AuditEvent(
                    .familyRevoked,
                    by: caller,
                    user: family.user,
                    client: family.client,
                    policy: family.policy,
                    detail: ["reason": "signed_out"]
                )
            }
            return Ended(sessions: removed.sessions, families: removed.families, flows: removed.flows)
        }
    }

    /// Revokes one family, because its tokens could not be stored.
    public func revoke(family: String, reason: String, _ caller: Caller) async throws {
        try await Self.rows.storing {
            _ = try await store.families.revoke(
                [family],
                reason: reason,
                events: [AuditEvent(.familyRevoked, by: caller, detail: ["family": family, "reason": reason])]
            )
        }
    }

    /// True if the owner proved a password less than `duration` ago.
    public func provedPassword(_ owner: Owner, within duration: Duration) async throws -> Bool {
        try await Self.rows.storing {
            try await store.sessions.live(owner: owner, user: nil).contains { session in
                session.proofs.contains { proof in
                    proof.credential == .password
                        && Proof.isRecent(proof.at, within: duration, at: clock.now)
                }
            }
        }
    }
}
