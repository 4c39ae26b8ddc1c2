import AuthorityStore
public import FlowModel
import Moments
import StoreRefusals

/// Methods that list and end users' sessions.
public struct UserSessions: Sendable {
    /// The numbers of sessions, token families and flows that a sign-out ended.
    public struct Ended: Hashable, Sendable {
        /// The number of sessions.
        public let sessions: Int
        /// The number of refresh-token families.
        public let families: Int
        /// The number of open flows.
        public let flows: Int
    }

    let authority: Authority

    /// Returns the enabled users of the owner's live sessions, without duplicates, newest session first.
    public func signedIn(_ owner: Owner) async throws -> [SignedIn] {
        try await Authority.rows.storing {
            var seen: Set<UserID> = []
            var people: [SignedIn] = []
            for session in try await authority.store.sessions.live(owner: owner)
            where seen.insert(session.user).inserted {
                guard let user = try await authority.store.users.get(session.user), user.enabled else { continue }
                people.append(SignedIn(user: NamedUser(user), policy: session.policy))
            }
            return people
        }
    }

    /// Returns the owner's signed-in and remembered users, without duplicates.
    public func signedInOrRemembered(_ owner: Owner) async throws -> [NamedUser] {
        try await Authority.rows.storing {
            var people = try await signedIn(owner).map(\.user)
            for proof in try await authority.store.remembered.live(owner: owner)
            where !people.contains(where: { $0.id == proof.user }) {
                if let user = try await authority.store.users.get(proof.user) { people.append(NamedUser(user)) }
            }
            return people
        }
    }

    /// Ends the owner's sessions, token families and flows of one user, or of all users if `user` is `nil`.
    public func signOut(user: UserID?, _ caller: Caller) async throws -> Ended {
        try await Authority.rows.storing {
            let ended = user.map { "of \($0)" } ?? "of all"
            let removed = try await authority.store.sessions.signOut(
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

    /// Ends the browser's sessions and flows but no issued tokens (OpenID Connect Back-Channel Logout §2.7).
    public func endAll(_ caller: Caller) async throws {
        try await Authority.rows.storing {
            try await authority.store.sessions.end(
                owner: caller.owner,
                events: [AuditEvent(.signOut, by: caller, detail: ["sessions": "of a browser"])]
            )
        }
    }

    /// Whether a user with a live session of this owner entered the correct password less than `duration` ago.
    public func provedPassword(_ owner: Owner, within duration: Duration) async throws -> Bool {
        try await Authority.rows.storing {
            try await authority.store.sessions.live(owner: owner, user: nil).contains { session in
                session.proofs.contains { proof in
                    proof.credential == .password
                        && Proof.isRecent(proof.at, within: duration, at: authority.clock.now)
                }
            }
        }
    }
}
