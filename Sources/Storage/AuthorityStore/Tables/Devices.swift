import DurableSQLite
public import FlowModel
import GRDB
import Moments
public import Storage

extension AuthorityStore {
    /// The remembered devices, on which users have recently passed a second factor.
    public struct Devices: Sendable {
        let core: Core

        /// The maximum number of remembered devices per user, beyond which those that expire first are removed.
        static let perPerson = 20

        /// Whether the user's second factor is still remembered on the device with the secret name `name`.
        public func knows(_ name: String, of user: UserID) async throws(StoreError) -> Bool {
            let mac = mac(name, user)
            let now = core.clock.now
            let ends = try await core.database.read { db in
                try db.row("SELECT * FROM devices WHERE mac = :mac", ["mac": mac]).map { try $0.deadline("ends") }
            }
            return ends.map { !$0.hasEnded(at: now) } ?? false
        }

        /// Deletes devices that have expired.
        @discardableResult
        public func sweep(limit: Int) async throws(StoreError) -> Int {
            try await core.sweep("devices", by: "mac", "ends_wall", limit: limit)
        }

        func remember(_ db: Database, _ device: KnownDevice, of user: UserID, at now: Moment) throws {
            try db.insert(
                into: "devices",
                ["mac": mac(device.name, user), "user_id": user.oid]
                    + Deadline(device.life, after: now).columns("ends"),
                replacing: true
            )
            try db.run(
                """
                DELETE FROM devices WHERE mac IN (
                    SELECT mac FROM devices WHERE user_id = :user ORDER BY ends_wall DESC LIMIT -1 OFFSET :most
                )
                """,
                ["user": user.oid, "most": Self.perPerson]
            )
        }

        static func forget(_ db: Database, _ user: UserID) throws {
            try db.run("DELETE FROM devices WHERE user_id = :user", ["user": user.oid])
        }

        private func mac(_ name: String, _ user: UserID) -> String {
            core.mac("device", "\(user.oid)\u{1F}\(name)")
        }
    }
}

/// A device on which a user has passed a second factor.
public struct KnownDevice: Hashable, Sendable {
    /// A secret name, of which the store contains only a hash.
    public let name: String
    /// How long the device is remembered.
    public let life: Duration

    /// Creates a device to remember.
    public init(name: String, life: Duration) {
        self.name = name
        self.life = life
    }
}
