import Attempts
import Authority
import AuthorityStore
public import FlowModel
import OAuth
import Storage
import StoreRefusals

extension Operator {
    /// Users in the order of their ids, after `after`; at most 1000.
    public func users(after: String?, limit: Int) async throws -> [UserSummary] {
        try await Administration.rows.storing {
            try await store.users.list(after: after.map { UserID(oid: $0.lowercased()) }, limit: limit)
                .map { UserSummary($0) }
        }
    }

    /// A user by object id or sign-in name, with attributes, groups and counts of sessions and families.
    ///
    /// - Throws: `account_not_found`.
    public func user(_ name: String) async throws -> UserSummary {
        let user = try await record(name)
        let holdings = try await Administration.rows.storing { try await store.users.holdings(of: user.id) }
        var summary = UserSummary(user)
        summary.attributes = user.attributes
        summary.groups = user.groups
        summary.sessions = holdings.sessions
        summary.families = holdings.families
        return summary
    }

    /// Keeps a user from signing in; sessions, families and flows end at once.
    public func disable(_ name: String) async throws -> UserSummary {
        let user = try await set(name, enabled: false, event: .userDisabled)
        await administration.consequences.userLeft(user.id)
        return UserSummary(user)
    }

    /// Lets a user sign in again.
    public func enable(_ name: String) async throws -> UserSummary {
        UserSummary(try await set(name, enabled: true, event: .userEnabled))
    }

    /// Lifts the blocks on a user's attempts, of all origins.
    public func unlock(_ name: String) async throws -> UserSummary {
        let user = try await record(name)
        _ = try await administration.attempts.unlock(user.id, names: user.signInNames.map(\.value), by: caller)
        return UserSummary(user)
    }

    /// Asks a user for another password at the next sign-in; sessions, families and flows end at once.
    public func expirePassword(_ name: String) async throws -> UserSummary {
        let user = try await record(name)
        guard user.passwordHash != nil else {
            throw Refusal(.accountNotFound, Text("refusal.userHasNoPassword"))
        }
        try await Administration.rows.storing {
            try await store.users.requireNewPassword(
                of: user.id,
                events: [AuditEvent(.userPasswordExpired, by: caller, user: user.id)]
            )
        }
        changed()
        await administration.consequences.userLeft(user.id)
        return UserSummary(user)
    }

    /// Deletes a user with all their data, or withdraws the invitation of an address.
    public func delete(_ name: String) async throws {
        let user: UserRecord
        do {
            user = try await record(name)
        } catch let refusal as Refusal where refusal.reason == .accountNotFound {
            // A person who is only invited has no other data.
            return try await withdrawInvitation(name)
        }
        try await Administration.rows.storing {
            try await store.users.delete(user.id, events: [AuditEvent(.userDeleted, by: caller, user: user.id)])
        }
        changed()
        await administration.consequences.userLeft(user.id)
    }

    /// The user of an object id or a sign-in name.
    func record(_ name: String) async throws -> UserRecord {
        try await Administration.rows.storing {
            if let user = try await store.users.get(UserID(oid: name.lowercased())) { return user }
            if let user = try await store.users.find(signInName: name) { return user }
            throw Refusal(.accountNotFound, Text("refusal.noSuchUser"))
        }
    }

    private func set(_ name: String, enabled: Bool, event: AuditKind) async throws -> UserRecord {
        let user = try await record(name)
        try await Administration.rows.storing {
            try await store.users.setEnabled(
                user.id,
                enabled,
                events: [AuditEvent(event, by: caller, user: user.id)]
            )
        }
        changed()
        return try await record(user.id.oid)
    }
}

extension UserSummary {
    /// The summary of a user, without the members that only `user.show` answers.
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
