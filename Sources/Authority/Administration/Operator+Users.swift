import Attempts
import Authority
import AuthorityStore
public import FlowModel
import OAuth
import Storage
import StoreRefusals

extension Operator {
    /// Returns users with ids greater than `after`, ordered by id, at most `limit` and never more than 1000.
    public func users(after: String?, limit: Int) async throws -> [UserSummary] {
        try await Administration.rows.storing {
            try await store.users.list(after: after.map { UserID(oid: $0.lowercased()) }, limit: limit)
                .map { UserSummary($0) }
        }
    }

    /// Returns all details of the user with this object id or sign-in name, or throws `account_not_found`.
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

    /// Disables a user and immediately ends the user's sessions, token families and flows.
    public func disable(_ name: String) async throws -> UserSummary {
        let user = try await set(name, enabled: false, event: .userDisabled)
        await administration.consequences.userLeft(user.id)
        return UserSummary(user)
    }

    /// Enables a disabled user.
    public func enable(_ name: String) async throws -> UserSummary {
        UserSummary(try await set(name, enabled: true, event: .userEnabled))
    }

    /// Clears a user's failed attempts, regardless of their origin, so that the user is no longer blocked.
    public func unlock(_ name: String) async throws -> UserSummary {
        let user = try await record(name)
        _ = try await administration.attempts.unlock(user.id, names: user.signInNames.map(\.value), by: caller)
        return UserSummary(user)
    }

    /// Requires a new password at the user's next sign-in, and ends the user's sessions, token families and flows.
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

    /// Deletes a user and all of the user's data, or withdraws an invitation if `name` is the address it was sent to.
    public func delete(_ name: String) async throws {
        let user: UserRecord
        do {
            user = try await record(name)
        } catch let refusal as Refusal where refusal.reason == .accountNotFound {
            return try await withdrawInvitation(name)
        }
        try await Administration.rows.storing {
            try await store.users.delete(user.id, events: [AuditEvent(.userDeleted, by: caller, user: user.id)])
        }
        changed()
        await administration.consequences.userLeft(user.id)
    }

    /// Returns the user with this object id or sign-in name, or throws `account_not_found` if the user does not exist.
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
    /// Creates a summary without the details that only the `user.show` method returns.
    init(_ user: UserRecord) {
        self.init(
            user: user.id.oid,
            signInNames: user.signInNames.map { $0.kind == .email ? MailAddress.shown($0.value) : $0.value },
            displayName: user.displayName ?? user.username,
            enabled: user.enabled,
            createdAt: user.createdAt
        )
    }
}
