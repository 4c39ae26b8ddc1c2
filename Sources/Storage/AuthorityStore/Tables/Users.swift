import DurableSQLite
public import FlowModel
import Foundation
import GRDB
import Moments
public import OAuth
public import Storage

extension AuthorityStore {
    /// The table of users.
    public struct Users: Sendable {
        let core: Core

        /// The maximum number of users per page.
        public static let greatestPage = 1000

        /// Returns the user that has this sign-in name of any kind, or `nil` if there is none.
        public func find(signInName: String) async throws(StoreError) -> UserRecord? {
            let mac = mac(signInName)
            return try await core.database.find(isOneStatement: true) { db in
                try db.row(
                    """
                    SELECT \(Self.columns) FROM sign_in_names JOIN users ON users.id = sign_in_names.user_id
                    WHERE sign_in_names.mac = :mac
                    """,
                    ["mac": mac],
                    as: record
                )
            }
        }

        /// Returns the user with this id, or `nil` if there is none.
        public func get(_ id: UserID) async throws(StoreError) -> UserRecord? {
            try await core.database.find(isOneStatement: true) { db in try find(db, id) }
        }

        /// Returns up to `limit` users whose ids are higher than `after`, sorted by id.
        public func list(after: UserID? = nil, limit: Int) async throws(StoreError) -> [UserRecord] {
            try await core.database.read { db in
                try db.rows(
                    "SELECT \(Self.columns) FROM users WHERE id > :after ORDER BY id LIMIT :limit",
                    ["after": after?.oid ?? "", "limit": min(max(limit, 1), Self.greatestPage)]
                ).map(record)
            }
        }

        /// Creates a user, or throws `nameTaken` if another user already has one of the sign-in names.
        public func add(_ user: UserRecord, events: [AuditEvent] = []) async throws(StoreError) {
            try await core.database.write { db, now in
                try insert(db, user)
                try Audit.append(db, events, at: now)
            }
        }

        /// Enables a user, or disables a user and ends the user's sessions, families and flows.
        public func setEnabled(
            _ id: UserID,
            _ enabled: Bool,
            events: [AuditEvent] = []
        ) async throws(StoreError) {
            try await core.database.write { db, now in
                let changed = try db.run(
                    "UPDATE users SET enabled = :enabled WHERE id = :id",
                    ["enabled": enabled, "id": id.oid]
                )
                guard changed > 0 else { throw StoreError(.notFound, "there is no such user") }
                if !enabled { try forget(db, id, reason: "user_disabled", at: now) }
                try Epoch.raise(db)
                try Audit.append(db, events, at: now)
            }
        }

        /// Deletes a user, with all names, sessions, consents and flows, and revokes the user's families.
        public func delete(_ id: UserID, events: [AuditEvent] = []) async throws(StoreError) {
            try await core.database.write { db, now in
                // If the row was set aside as damaged, it is not in this table, but the sign-in names still exist.
                let rows = try db.run("DELETE FROM users WHERE id = :id", ["id": id.oid])
                let names = try db.run("DELETE FROM sign_in_names WHERE user_id = :id", ["id": id.oid])
                guard rows + names > 0 else { throw StoreError(.notFound, "there is no such user") }
                try forget(db, id, reason: "user_deleted", at: now)
                try db.run("DELETE FROM consents WHERE user_id = :id", ["id": id.oid])
                try Groups.forget(db, id)
                for table in AuthorityStore.credentialTables { try table.forget(db, id) }
                try Identities.forget(db, id)
                try Devices.forget(db, id)
                try Epoch.raise(db)
                try Audit.append(db, events, at: now)
            }
        }

        func find(_ db: Database, _ id: UserID) throws -> UserRecord? {
            try db.row("SELECT \(Self.columns) FROM users WHERE id = :id", ["id": id.oid], as: record)
        }

        func insert(_ db: Database, _ user: UserRecord) throws {
            let sealed = try core.sealing.write(Profile(user), as: Self.profile, row: user.id.oid)
            try db.insert(
                into: "users",
                ["id": user.id.oid, "enabled": user.enabled, "created_at": user.createdAt, "profile": sealed]
            )
            for mac in Set(user.signInNames.map { mac($0.value) }) {
                let made = try db.run(
                    "INSERT INTO sign_in_names (mac, user_id) VALUES (:mac, :id) ON CONFLICT (mac) DO NOTHING",
                    ["mac": mac, "id": user.id.oid]
                )
                guard made > 0 else { throw StoreError(.nameTaken, "a user already has this sign-in name") }
            }
        }

        /// Replaces a password's hash with a hash that uses other cost parameters, unless the password has changed.
        ///
        /// - Throws: `notFound` if the user does not exist.
        public func rehash(_ user: UserID, from old: Secret, to new: Secret) async throws(StoreError) {
            try await core.database.write { db in
                guard var record = try find(db, user) else { throw StoreError(.notFound, "there is no such user") }
                guard record.passwordHash == old else { return }
                record.passwordHash = new
                try keep(db, record)
            }
        }

        func keep(_ db: Database, _ user: UserRecord) throws {
            let sealed = try core.sealing.write(Profile(user), as: Self.profile, row: user.id.oid)
            try db.run("UPDATE users SET profile = :profile WHERE id = :id", ["profile": sealed, "id": user.id.oid])
        }

        static func requireEnabled(_ db: Database, _ user: UserID) throws {
            guard let row = try db.row("SELECT enabled FROM users WHERE id = :id", ["id": user.oid]) else {
                throw StoreError(.notFound, "there is no such user")
            }
            guard try row.get("enabled") else { throw StoreError(.disabled, "the user is disabled") }
        }

        func forget(_ db: Database, _ id: UserID, reason: String, at now: Moment) throws {
            try db.run("DELETE FROM sessions WHERE user_id = :id", ["id": id.oid])
            try RememberedProofs.forget(db, id)
            try forgetGrants(db, id, reason: reason, at: now)
        }

        func forgetGrants(_ db: Database, _ id: UserID, reason: String, at now: Moment) throws {
            try Families.revoke(db, user: id, reason: reason, at: now)
            try FlowTable(core: core).close(db, user: id, at: now)
            try Requests.forget(db, user: id)
            try Codes.rows.forget(db, user: id)
            try DeviceCodes.rows.forget(db, user: id)
        }

        /// Returns the same MAC for sign-in names with the same folded form.
        func mac(_ name: String) -> String { core.mac("sign-in name", SignInName.folded(name)) }

        static let profile = SealedColumn("users", "profile")

        static let columns = """
            users.id, users.enabled, users.created_at, users.profile,
                (SELECT group_concat(group_name) FROM memberships WHERE user_id = users.id) AS group_names
            """

        @Sendable func record(_ row: Row) throws -> UserRecord {
            let profile: Profile = try core.sealing.recall(Self.profile, of: row)
            var user = UserRecord(
                id: UserID(oid: try row.get("id")),
                enabled: try row.get("enabled"),
                signInNames: profile.names,
                attributes: profile.attributes,
                passwordHash: profile.password.map { Secret($0) },
                passwordSetAt: profile.passwordAt,
                mustChangePassword: profile.mustChange,
                createdAt: try row.get("created_at")
            )
            // Group names are ASCII without commas, so a comma always separates two names.
            if let groups: String = try row.optional("group_names") {
                user.groups = groups.split(separator: ",").map(String.init).sorted()
            }
            return user
        }
    }
}

extension SignInName {
    /// Returns a form of the name that is equal for names that differ only in case or in the spelling of the domain.
    ///
    /// A mail domain in Unicode equals the same domain in A-labels. Before the `@`, names with characters that only look
    /// or sound alike (`ß` and `ss`, `ı` and `i`, full-width letters) stay different, because they can be different
    /// mailboxes.
    public static func folded(_ name: String) -> String {
        let name = name.trimmingCharacters(in: .whitespacesAndNewlines)
        return (MailAddress.ascii(name) ?? name).precomposedStringWithCanonicalMapping.lowercased()
            .precomposedStringWithCanonicalMapping
    }
}

/// The encrypted part of a user's row.
private struct Profile: JSONConvertible {
    let names: [SignInName]
    let attributes: [String: JSONValue]
    let password: String?
    /// When the password was set, or `nil` if it was set when the account was created.
    let passwordAt: Int64?
    let mustChange: Bool
}

extension Profile {
    init?(json: JSONValue) {
        guard let names = json["names"].flatMap([SignInName].init(json:)),
            let attributes = json["attributes"]?.object
        else { return nil }
        self.init(
            names: names,
            attributes: attributes,
            password: json["password"]?.string,
            passwordAt: json["passwordAt"]?.int,
            mustChange: json["mustChange"]?.bool ?? false
        )
    }

    var json: JSONValue {
        var members: [String: JSONValue] = ["names": names.json, "attributes": .object(attributes)]
        members["password"] = password.map { .string($0) }
        members["passwordAt"] = passwordAt.map { .int($0) }
        if mustChange { members["mustChange"] = true }
        return .object(members)
    }

    init(_ user: UserRecord) {
        self.init(
            names: user.signInNames,
            attributes: user.attributes,
            password: user.passwordHash?.reveal(),
            passwordAt: user.passwordSetAt,
            mustChange: user.mustChangePassword
        )
    }
}
