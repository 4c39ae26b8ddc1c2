import DurableSQLite
public import FlowModel
import GRDB
public import OAuth
public import Storage

extension AuthorityStore {
    /// The users' authenticator apps and recovery codes.
    public struct Authenticators: CredentialTable {
        let core: Core

        /// Returns a user's authenticator, or `nil` if there is none.
        public func find(_ user: UserID) async throws(StoreError) -> Authenticator? {
            try await core.database.read { db in try find(db, user) }
        }

        private func find(_ db: Database, _ user: UserID) throws -> Authenticator? {
            try db.row("SELECT * FROM authenticators WHERE user_id = :user", ["user": user.oid]).map(authenticator)
        }

        /// Marks all codes up to `step` as used, or returns `false` if `step` was used or the authenticator is gone.
        static func take(_ db: Database, step: Int64, of authenticator: Authenticator) throws -> Bool {
            try db.run(
                """
                UPDATE authenticators SET step = :step
                WHERE user_id = :user AND step < :step AND enrolled_at = :at
                """,
                ["step": step, "user": authenticator.user.oid, "at": authenticator.enrolledAt]
            ) > 0
        }

        /// Whether a user has this unused recovery code.
        public func has(recoveryCode code: Secret, of user: UserID) async throws(StoreError) -> Bool {
            let mac = mac(code, user)
            return try await core.database.read { db in
                try db.row(
                    "SELECT 1 FROM recovery_codes WHERE mac = :mac AND user_id = :user",
                    ["mac": mac, "user": user.oid]
                ) != nil
            }
        }

        func use(_ db: Database, recoveryCode code: Secret, of user: UserID) throws -> Bool {
            try db.run(
                "DELETE FROM recovery_codes WHERE mac = :mac AND user_id = :user",
                ["mac": mac(code, user), "user": user.oid]
            ) > 0
        }

        /// Adds an authenticator with its recovery codes, or throws `consumed` if the user already has one.
        func add(_ db: Database, _ authenticator: Authenticator, recoveryCodes: [Secret]) throws {
            let user = authenticator.user
            let added = try db.run(
                """
                INSERT INTO authenticators (user_id, secret, step, enrolled_at) VALUES (:user, :secret, :step, :at)
                ON CONFLICT (user_id) DO NOTHING
                """,
                [
                    "user": user.oid,
                    "secret": try core.sealing.seal(authenticator.key.revealBytes(), Self.secret, row: user.oid),
                    "step": authenticator.step, "at": authenticator.enrolledAt,
                ]
            )
            guard added > 0 else { throw StoreError(.consumed, "the user already has an authenticator") }
            for code in recoveryCodes {
                try db.run(
                    "INSERT INTO recovery_codes (mac, user_id) VALUES (:mac, :user)",
                    ["mac": mac(code, user), "user": user.oid]
                )
            }
        }

        /// Returns the user's authenticator, regardless of `owner`, because it is accepted for every owner.
        func list(_ db: Database, of user: UserID, at owner: Owner) throws -> [(credential: Credential, at: Int64)] {
            try find(db, user).map { [(.totp, $0.enrolledAt)] } ?? []
        }

        /// Removes the user's authenticator and all of the user's remembered devices, if `credential` is `.totp`.
        func remove(_ db: Database, _ credential: Credential, of user: UserID, at owner: Owner) throws {
            guard credential == .totp else { return }
            try Self.forget(db, user)
            try Devices.forget(db, user)
        }

        static func forget(_ db: Database, _ user: UserID) throws {
            try db.run("DELETE FROM authenticators WHERE user_id = :user", ["user": user.oid])
            try db.run("DELETE FROM recovery_codes WHERE user_id = :user", ["user": user.oid])
        }

        static let secret = SealedColumn("authenticators", key: "user_id", "secret")

        private func mac(_ code: Secret, _ user: UserID) -> String {
            core.mac("recovery code", "\(user.oid)\u{1F}\(code.reveal())")
        }

        @Sendable private func authenticator(_ row: Row) throws -> Authenticator {
            let user: String = try row.get("user_id")
            return Authenticator(
                user: UserID(oid: user),
                key: Secret(bytes: try core.sealing.open(try row.get("secret"), Self.secret, row: user)),
                step: try row.get("step"),
                enrolledAt: try row.get("enrolled_at")
            )
        }
    }
}

/// A user's authenticator app, which is accepted for every owner.
public struct Authenticator: Hashable, Sendable {
    /// The user's id.
    public let user: UserID
    /// The key that the app and the authority share.
    public let key: Secret
    /// The time step of the newest accepted code, which later codes must exceed (RFC 6238 §5.2).
    public let step: Int64
    /// The time of enrolment, in milliseconds since 1970 UTC.
    public let enrolledAt: Int64

    /// Creates an authenticator.
    public init(user: UserID, key: Secret, step: Int64, enrolledAt: Int64) {
        self.user = user
        self.key = key
        self.step = step
        self.enrolledAt = enrolledAt
    }
}
