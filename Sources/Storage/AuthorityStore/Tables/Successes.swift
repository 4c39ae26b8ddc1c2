import DurableSQLite
import FlowModel
import GRDB
import Moments
public import Origins
public import Storage

extension AuthorityStore {
    /// The known origins, from which a user signed in within the last 90 days.
    ///
    /// Part of each ``Origins/SharedTotal`` is reserved for them. The origins are stored as keyed hashes.
    public struct Successes: Sendable {
        let core: Core

        /// How long an origin counts as known after a sign-in.
        public static let life = KnownOrigins.life
        /// The maximum number of known origins, beyond which a sweep removes those with the oldest sign-ins.
        public static let most = 16_384
        /// The maximum number of known origins that have the same name at the widest level.
        public static let mostOfWidest = KnownOrigins.mostOfWidest

        /// Whether a user signed in from this origin within the last 90 days.
        public func has(_ origin: OriginLevels) async throws(StoreError) -> Bool {
            let now = core.clock.now
            return try await core.database.find { db in try isKnown(db, origin, at: now) }
        }

        func isKnown(_ db: Database, _ origin: OriginLevels, at now: Moment) throws -> Bool {
            try db.row(
                "SELECT 1 FROM known_origins WHERE mac = :mac AND at > :since",
                ["mac": mac(origin, .origin), "since": now.wall - Self.life.milliseconds]
            ) != nil
        }

        func add(_ db: Database, _ origin: OriginLevels, at now: Moment) throws {
            let widest = mac(origin, .widest)
            try db.insert(
                into: "known_origins",
                ["mac": mac(origin, .origin), "widest": widest, "at": now.wall],
                onConflict: "(mac) DO UPDATE SET widest = :widest, at = :at"
            )
            try db.run(
                """
                DELETE FROM known_origins WHERE mac IN (
                    SELECT mac FROM known_origins WHERE widest = :widest ORDER BY at DESC LIMIT -1 OFFSET :most
                )
                """,
                ["widest": widest, "most": Self.mostOfWidest]
            )
        }

        static func sweep(_ db: Database, at now: Moment, limit: Int) throws -> Int {
            let end = now.wall - life.milliseconds
            let old = try db.sweep("known_origins", by: "mac", "at", upTo: end, limit: limit)
            let beyond = try db.run(
                """
                DELETE FROM known_origins WHERE at <= (
                    SELECT at FROM known_origins WHERE at > :at ORDER BY at DESC LIMIT 1 OFFSET :most
                )
                """,
                ["at": end, "most": most]
            )
            return old + beyond
        }

        func mac(_ origin: OriginLevels, _ level: OriginLevels.Level) -> String {
            core.mac("origin", "\(level.rawValue)\u{1F}\(origin[level])")
        }
    }

    /// The origins from which a user signed in within the last 90 days.
    public var successes: Successes { Successes(core: core) }
}
