import DurableSQLite
public import FlowModel
import Foundation
import GRDB
import Moments
public import OAuth
public import Storage

extension AuthorityStore {
    /// The people.
    public struct Users: Sendable {
        let core: Core

        /// The greatest number of users in one answer.
        public static let greatestPage = 1000

        /// The person who signs in under this name, of whatever kind it is.
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

        /// The person with this id.
        public func get(_ id: UserID) async throws(StoreError) -> UserRecord? {
            try await core.database.find(isOneStatement: true) { db in try find(db, id) }
        }

        /// People in the order of their ids.
        ///
        /// - Parameters:
        ///   - after: The last id that the caller has.
        ///   - limit: The greatest number of people, at most 1000.
        /// - Returns: The people.
        /// - Throws: The error that kept the store from reading.
        public func list(after: UserID? = nil, limit: Int) async throws(StoreError) -> [UserRecord] {
            try await core.database.read { db in
                try db.rows(
                    "SELECT \(Self.columns) FROM users WHERE id > :after ORDER BY id LIMIT :limit",
                    ["after": after?.oid ?? "", "limit": min(max(limit, 1), Self.greatestPage)]
                ).map(record)
            }
        }

        /// Makes an account; throws `nameTaken` if one of its names belongs to somebody.
        public func add(_ user: UserRecord, events: [AuditEvent] = []) async throws(StoreError) {
            try await core.database.write { db, now in
                try insert(db, user)
                try Audit.append(db, events, at: now)
            }
        }

        /// Allows or forbids a person to sign in; forbidding also ends sessions, families and flows.
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

        /// Deletes a person, with names, sessions, consents and flows; families stay, revoked, until they end.
        public func delete(_ id: UserID, events: [AuditEvent] = []) async throws(StoreError) {
            try await core.database.write { db, now in
                // The names of a row that was set aside stay taken until it is deleted here.
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
                guard made > 0 else { throw StoreError(.nameTaken, "somebody has this sign-in name") }
            }
        }

        /// Replaces the password's hash by one with other costs, unless it has changed meanwhile.
        ///
        /// - Parameters:
        ///   - user: The person.
        ///   - old: The hash to be replaced.
        ///   - new: The hash.
        /// - Throws: `notFound` if there is no such user.
        public func rehash(_ user: UserID, from old: Secret, to new: Secret) async throws(StoreError) {
            try await core.database.write { db in
                guard var record = try find(db, user) else { throw StoreError(.notFound, "there is no such user") }
                guard record.passwordHash == old else { return }
                record.passwordHash = new
                try keep(db, record)
            }
        }

        /// Writes a person's row with the password and the attributes of this record.
        func keep(_ db: Database, _ user: UserRecord) throws {
            let sealed = try core.sealing.write(Profile(user), as: Self.profile, row: user.id.oid)
            try db.run("UPDATE users SET profile = :profile WHERE id = :id", ["profile": sealed, "id": user.id.oid])
        }

        static func requireEnabled(_ db: Database, _ user: UserID) throws {
            guard let row = try db.row("SELECT enabled FROM users WHERE id = :id", ["id": user.oid]) else {
                throw StoreError(.notFound, "there is no such user")
            }
            guard try row.get("enabled") else { throw StoreError(.disabled, "the user may not sign in") }
        }

        /// Ends everything of a person: sessions, that they are remembered, families, open flows, and what was granted and is not fetched yet.
        func forget(_ db: Database, _ id: UserID, reason: String, at now: Moment) throws {
            try db.run("DELETE FROM sessions WHERE user_id = :id", ["id": id.oid])
            try RememberedProofs.forget(db, id)
            try forgetGrants(db, id, reason: reason, at: now)
        }

        /// Ends everything of a person but sessions.
        func forgetGrants(_ db: Database, _ id: UserID, reason: String, at now: Moment) throws {
            try Families.revoke(db, user: id, reason: reason, at: now)
            try FlowTable(core: core).close(db, user: id, at: now)
            try Requests.forget(db, user: id)
            try Codes.rows.forget(db, user: id)
            try DeviceCodes.rows.forget(db, user: id)
        }

        /// The MAC of a name; compatibility forms and case do not distinguish names.
        func mac(_ name: String) -> String { core.mac("sign-in name", SignInName.folded(name)) }

        static let profile = SealedColumn("users", "profile")

        /// The columns of a person, groups among them, so that one statement reads all.
        static let columns = """
            users.id, users.enabled, users.created_at, users.profile,
                (SELECT group_concat(group_name) FROM memberships WHERE user_id = users.id) AS group_names
            """

        /// The person of a row with ``columns``.
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
            // The names of groups are plain ASCII without a comma.
            if let groups: String = try row.optional("group_names") {
                user.groups = groups.split(separator: ",").map(String.init).sorted()
            }
            return user
        }
    }
}

extension SignInName {
    /// The common form of all spellings of a name: one letter may be large or small, and nothing else.
    ///
    /// Signs that only look or sound alike (`ß` and `ss`, `ı` and `i`, wide letters) make another name, since mail goes to
    /// another box.
    public static func folded(_ name: String) -> String {
        name.trimmingCharacters(in: .whitespacesAndNewlines).precomposedStringWithCanonicalMapping.lowercased()
            .precomposedStringWithCanonicalMapping
    }
}

/// The sealed part of a person's row.
private struct Profile: JSONConvertible {
    let names: [SignInName]
    let attributes: [String: JSONValue]
    let password: String?
    /// Nil for the time of the account's creation.
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
