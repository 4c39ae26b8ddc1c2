import DurableSQLite
public import FlowModel
import GRDB
import Moments
import OAuth
public import Storage

extension AuthorityStore {
    /// The credentials that users have enrolled, each for one owner.
    public struct Enrolments: CredentialTable {
        let core: Core

        /// Returns a user's credential for an owner, or `nil` if the credential is not enrolled or is withheld.
        public func find(
            _ credential: Credential,
            of user: UserID,
            at owner: Owner
        ) async throws(StoreError) -> Enrolment? {
            try await find(credential, of: user, at: owner, isWithheld: false)
        }

        /// Returns a user's withheld credential for an owner, or `nil` if there is none.
        public func findWithheld(
            _ credential: Credential,
            of user: UserID,
            at owner: Owner
        ) async throws(StoreError) -> Enrolment? {
            try await find(credential, of: user, at: owner, isWithheld: true)
        }

        private func find(
            _ credential: Credential,
            of user: UserID,
            at owner: Owner,
            isWithheld: Bool
        ) async throws(StoreError) -> Enrolment? {
            let id = id(credential, user, owner)
            return try await core.database.find { db in
                try db.row(
                    "SELECT * FROM enrolments WHERE id = :id AND withheld = :withheld",
                    ["id": id, "withheld": isWithheld]
                ).map(enrolment)
            }
        }

        static func withhold(_ db: Database, _ name: EnrolmentName, _ core: Core) throws {
            let id = Self(core: core).id(name.credential, name.user, name.owner)
            try db.run("UPDATE enrolments SET withheld = 1 WHERE id = :id", ["id": id])
        }

        /// Makes a withheld credential usable again after an answer was checked.
        public func giveBack(_ enrolment: Enrolment) async throws(StoreError) {
            _ = try await core.database.write { db in try giveBack(db, enrolment) }
        }

        func giveBack(_ db: Database, _ enrolment: Enrolment) throws -> Bool {
            try db.run(
                "UPDATE enrolments SET withheld = 0 WHERE id = :id AND enrolled_at = :at",
                [
                    "id": id(enrolment.credential, enrolment.user, enrolment.owner),
                    "at": enrolment.enrolledAt,
                ]
            ) > 0
        }

        func list(_ db: Database, of user: UserID, at owner: Owner) throws -> [(credential: Credential, at: Int64)] {
            try db.rows(
                "SELECT * FROM enrolments WHERE user_id = :user AND owner = :owner AND withheld = 0",
                ["user": user.oid, "owner": owner.key]
            ).map(enrolment).sorted { $0.enrolledAt < $1.enrolledAt }.map { ($0.credential, $0.enrolledAt) }
        }

        /// Removes a credential and records the events, or returns `false` if the credential did not exist.
        @discardableResult
        public func remove(
            _ credential: Credential,
            of user: UserID,
            at owner: Owner,
            events: [AuditEvent] = []
        ) async throws(StoreError) -> Bool {
            try await core.database.write { db, now in
                try remove(db, credential, of: user, at: owner)
                guard db.changesCount > 0 else { return false }
                try Audit.append(db, events, at: now)
                return true
            }
        }

        func remove(_ db: Database, _ credential: Credential, of user: UserID, at owner: Owner) throws {
            try db.run("DELETE FROM enrolments WHERE id = :id", ["id": id(credential, user, owner)])
        }

        func set(_ db: Database, _ enrolment: Enrolment) throws {
            let id = id(enrolment.credential, enrolment.user, enrolment.owner)
            try db.run(
                """
                INSERT INTO enrolments (id, owner, user_id, credential, secret, enrolled_at)
                VALUES (:id, :owner, :user, :credential, :secret, :at)
                ON CONFLICT (id) DO UPDATE SET secret = excluded.secret, enrolled_at = excluded.enrolled_at,
                    withheld = 0
                """,
                [
                    "id": id, "owner": enrolment.owner.key, "user": enrolment.user.oid,
                    "credential": enrolment.credential.rawValue,
                    "secret": try core.sealing.seal(enrolment.secret.revealBytes(), Self.secret, row: id),
                    "at": enrolment.enrolledAt,
                ]
            )
        }

        static func forget(_ db: Database, _ user: UserID) throws {
            try db.run("DELETE FROM enrolments WHERE user_id = :user", ["user": user.oid])
        }

        static let secret = SealedColumn("enrolments", "secret")

        private func id(_ credential: Credential, _ user: UserID, _ owner: Owner) -> String {
            core.mac("enrolment", "\(credential.rawValue)\u{1F}\(user.oid)\u{1F}\(owner.key)")
        }

        @Sendable private func enrolment(_ row: Row) throws -> Enrolment {
            let id: String = try row.get("id")
            return Enrolment(
                Credential(rawValue: try row.get("credential")),
                of: UserID(oid: try row.get("user_id")),
                at: try row.owner(),
                secret: Secret(bytes: try core.sealing.open(try row.get("secret"), Self.secret, row: id)),
                enrolledAt: try row.get("enrolled_at")
            )
        }
    }
}
