import DurableSQLite
import FlowModel
import GRDB
import Moments
public import Origins
public import Storage

extension AuthorityStore {
    /// The origins with a sign-in within 90 days, as keyed hashes; a part of each shared total is reserved for them.
    public struct Successes: Sendable {
        let core: Core

        /// The time for which a success counts.
        public static let life = KnownOrigins.life
        /// The greatest number of origins that are known; a sweep forgets those beyond it whose success is oldest.
        public static let most = 16_384
        /// The greatest number of known origins of one user or network.
        public static let mostOfWidest = KnownOrigins.mostOfWidest

        /// Whether an origin has a sign-in within 90 days.
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

        /// Notes a success at an origin.
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

        /// Deletes origins whose success is too long ago, and the oldest of too many.
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

        /// The keyed hash of a level, which does not reveal the address.
        func mac(_ origin: OriginLevels, _ level: OriginLevels.Level) -> String {
            core.mac("origin", "\(level.rawValue)\u{1F}\(origin[level])")
        }
    }

    /// The origins with a sign-in within 90 days.
    public var successes: Successes { Successes(core: core) }
}
