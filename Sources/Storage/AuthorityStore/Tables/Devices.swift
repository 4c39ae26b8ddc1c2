import DurableSQLite
public import FlowModel
import GRDB
import Moments
public import Storage

extension AuthorityStore {
    /// The devices at which people have proved a second factor, each for a time.
    public struct Devices: Sendable {
        let core: Core

        /// The greatest number of devices that are remembered of one person; the ones that end first are forgotten.
        static let perPerson = 20

        /// True if a person has proved a second factor at this device, and that is remembered.
        public func knows(_ name: String, of user: UserID) async throws(StoreError) -> Bool {
            let mac = mac(name, user)
            let now = core.clock.now
            let ends = try await core.database.read { db in
                try db.row("SELECT * FROM devices WHERE mac = :mac", ["mac": mac]).map { try $0.deadline("ends") }
            }
            return ends.map { !$0.hasEnded(at: now) } ?? false
        }

        /// Deletes devices that are not remembered any more.
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

/// A device at which a person has proved a second factor.
public struct KnownDevice: Hashable, Sendable {
    /// The name that only the device knows; the store keeps its hash.
    public let name: String
    /// The time for which it is remembered.
    public let life: Duration

    /// A device and the time for which it is remembered.
    public init(name: String, life: Duration) {
        self.name = name
        self.life = life
    }
}
