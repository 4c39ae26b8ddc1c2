import DurableSQLite
public import FlowModel
import GRDB
import Moments
public import Storage

extension AuthorityStore {
    /// The user groups, whose names appear in their members' tokens.
    public struct Groups: Sendable {
        let core: Core

        /// The maximum number of groups.
        public static let greatestNumber: Int64 = 1_000
        /// The maximum number of groups per user, which is limited because every token contains their names.
        public static let greatestNumberOfUser: Int64 = 64

        /// Returns all groups, sorted by name.
        public func list() async throws(StoreError) -> [GroupSummary] {
            try await core.database.read { db in
                try db.rows("SELECT name, members FROM user_groups ORDER BY name").map(Self.group)
            }
        }

        /// Returns one group, or `nil` if it does not exist.
        public func get(_ name: String) async throws(StoreError) -> GroupSummary? {
            try await core.database.read { db in try Self.find(db, name) }
        }

        /// Returns the ids of a group's members in ascending order, only those higher than `after` if it is given.
        public func members(of name: String, after: UserID? = nil, limit: Int) async throws(StoreError) -> [UserID] {
            try await core.database.read { db in
                try db.rows(
                    """
                    SELECT user_id FROM memberships WHERE group_name = :name AND user_id > :after
                    ORDER BY user_id LIMIT :limit
                    """,
                    ["name": name, "after": after?.oid ?? "", "limit": min(max(limit, 1), Users.greatestPage)]
                ).map { UserID(oid: try $0.get("user_id")) }
            }
        }

        /// Adds a user to a group, creating the group if needed, and records events if the user was not a member.
        ///
        /// - Throws: `notFound` if the user does not exist, or `limitExceeded` if there are too many groups or
        ///   memberships.
        public func add(
            _ user: UserID,
            to name: String,
            events: [AuditEvent] = []
        ) async throws(StoreError) -> GroupSummary? {
            try await core.database.write { db, now in
                guard try db.row("SELECT id FROM users WHERE id = :id", ["id": user.oid]) != nil else {
                    throw StoreError(.notFound, "there is no such user")
                }
                let made = try db.run(
                    """
                    INSERT INTO memberships (group_name, user_id, added_at) VALUES (:name, :user, :at)
                    ON CONFLICT (group_name, user_id) DO NOTHING
                    """,
                    ["name": name, "user": user.oid, "at": now.wall]
                )
                guard made > 0 else { return try Self.find(db, name) }
                guard try Self.names(db, user).count <= Self.greatestNumberOfUser else {
                    throw StoreError(.limitExceeded, "a user can be in at most \(Self.greatestNumberOfUser) groups")
                }
                try db.run(
                    """
                    INSERT INTO user_groups (name, members) VALUES (:name, 1)
                    ON CONFLICT (name) DO UPDATE SET members = user_groups.members + 1
                    """,
                    ["name": name]
                )
                guard try db.number("SELECT count(*) FROM user_groups") <= Self.greatestNumber else {
                    throw StoreError(.limitExceeded, "there can be at most \(Self.greatestNumber) groups")
                }
                try Epoch.raise(db)
                try Audit.append(db, events, at: now)
                return try Self.find(db, name)
            }
        }

        /// Removes a user from a group and deletes an empty group, or throws `notFound` if the user is not a member.
        public func remove(
            _ user: UserID,
            from name: String,
            events: [AuditEvent] = []
        ) async throws(StoreError) {
            try await core.database.write { db, now in
                guard try Self.remove(db, user, from: name) else {
                    throw StoreError(.notFound, "the user is not in this group")
                }
                try Epoch.raise(db)
                try Audit.append(db, events, at: now)
            }
        }

        static func names(_ db: Database, _ user: UserID) throws -> [String] {
            try db.rows(
                "SELECT group_name FROM memberships WHERE user_id = :user ORDER BY group_name",
                ["user": user.oid]
            ).map { try $0.get("group_name") }
        }

        static func forget(_ db: Database, _ user: UserID) throws {
            for name in try names(db, user) { _ = try remove(db, user, from: name) }
        }

        private static func remove(_ db: Database, _ user: UserID, from name: String) throws -> Bool {
            let gone = try db.run(
                "DELETE FROM memberships WHERE group_name = :name AND user_id = :user",
                ["name": name, "user": user.oid]
            )
            guard gone > 0 else { return false }
            try db.run("UPDATE user_groups SET members = members - 1 WHERE name = :name", ["name": name])
            try db.run("DELETE FROM user_groups WHERE name = :name AND members <= 0", ["name": name])
            return true
        }

        private static func find(_ db: Database, _ name: String) throws -> GroupSummary? {
            try db.row("SELECT name, members FROM user_groups WHERE name = :name", ["name": name]).map(group)
        }

        @Sendable private static func group(_ row: Row) throws -> GroupSummary {
            GroupSummary(group: try row.get("name"), count: try row.get("members"))
        }
    }

    /// The user groups.
    public var groups: Groups { Groups(core: core) }
}
