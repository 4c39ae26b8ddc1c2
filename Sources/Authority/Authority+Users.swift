import Attempts
import AuthorityStore
public import FlowModel
import Moments
import OAuth
import Policies
import Storage

extension Authority {
    /// People in the order of their ids, after `after`.
    public func users(after: UserID?, limit: Int) async throws -> [UserSummary] {
        try await Self.storing { try await store.users.list(after: after, limit: limit).map { UserSummary($0) } }
    }

    /// A person by object id or sign-in name, with attributes, groups and counts of sessions and families.
    ///
    /// - Throws: `account_not_found`.
    public func user(_ name: String) async throws -> UserSummary {
        let user = try await record(name)
        let holdings = try await Self.storing { try await store.users.holdings(of: user.id) }
        var summary = UserSummary(user)
        summary.attributes = user.attributes
        summary.groups = user.groups
        summary.sessions = holdings.sessions
        summary.families = holdings.families
        return summary
    }

    /// Whether a person is there and may sign in, as last seen; what was issued to anybody else is not handed out.
    ///
    /// A change by another daemon is seen with the next comparison of the store's epoch, after 5 s at the latest.
    public func isEnabled(_ user: UserID) async throws -> Bool {
        try await Self.storing { try await memory.isEnabled(user) }
    }

    /// Lets a person sign in, or no longer; who may not loses sessions, families and flows at once.
    public func setEnabled(_ name: String, _ enabled: Bool, _ caller: Caller) async throws -> UserSummary {
        let user = try await record(name)
        try await Self.storing {
            let name = enabled ? "user.enabled" : "user.disabled"
            try await store.users.setEnabled(user.id, enabled, events: [event(name, caller, user: user.id)])
        }
        memory.forget()
        return UserSummary(try await record(user.id.oid))
    }

    /// Gives a person's attempts back, at every door.
    public func unlock(_ name: String, _ caller: Caller) async throws -> UserSummary {
        let user = try await record(name)
        try await Self.storing {
            _ = try await attempts.unlock(
                user.id,
                names: user.signInNames.map(\.value),
                by: caller.owner,
                pid: caller.pid,
                correlationID: caller.correlationID
            )
        }
        return UserSummary(user)
    }

    /// Deletes a person with everything that is theirs.
    public func deleteUser(_ name: String, _ caller: Caller) async throws {
        let user = try await record(name)
        try await Self.storing {
            try await store.users.delete(user.id, events: [event("user.deleted", caller, user: user.id)])
        }
        memory.forget()
    }

    /// Whether nobody has an account yet.
    public func hasNobody() async throws -> Bool {
        try await Self.storing { try await store.users.list(limit: 1).isEmpty }
    }

    func record(_ name: String) async throws -> UserRecord {
        try await Self.storing {
            if let user = try await store.users.get(UserID(oid: name.lowercased())) { return user }
            if let user = try await store.users.find(signInName: name) { return user }
            throw Refusal(.accountNotFound, "there is no such user")
        }
    }
}

extension UserSummary {
    /// A user without what only `user.show` answers.
    init(_ user: UserRecord) {
        self.init(
            user: user.id.oid,
            signInNames: user.signInNames.map(\.value),
            displayName: user.displayName ?? user.username,
            enabled: user.enabled,
            createdAt: user.createdAt
        )
    }
}
