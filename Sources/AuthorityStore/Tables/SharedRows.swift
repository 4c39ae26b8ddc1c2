import DurableSQLite
import GRDB
import Moments
import Origins
import Storage

/// A table whose rows all origins share: the one place where ``SharedTotal`` decides on rows.
///
/// Its rows have the columns `own`, `wider` and `widest`, which are keyed hashes, and `is_known`.
struct SharedRows {
    /// The name of the table.
    let table: String
    /// The column of the row's name.
    let key: String
    /// The figures.
    let total: SharedTotal
    /// The condition of a row that counts; it may name `:wall`.
    let isLive: String
    /// The condition of a row that nobody has answered.
    let isUnanswered: String

    /// A row's levels in the database, and whether its origin is known.
    struct Place {
        let levels: OriginLevels
        let isKnown: Bool

        /// The place of an origin.
        init(_ db: Database, _ origin: OriginLevels, _ core: Core, at now: Moment) throws {
            let successes = AuthorityStore.Successes(core: core)
            levels = OriginLevels(
                origin: successes.mac(origin, .origin),
                wider: successes.mac(origin, .wider),
                widest: successes.mac(origin, .widest)
            )
            isKnown = try successes.isKnown(db, origin, at: now)
        }

        /// The place of a client that has proved who it is, wherever it is.
        init(client: String, _ core: Core) {
            let name = core.mac("origin", "client\u{1F}\(client)")
            levels = OriginLevels(alone: name)
            isKnown = true
        }

        /// The values of the columns.
        var arguments: StatementArguments {
            ["own": levels.origin, "wider": levels.wider, "widest": levels.widest, "is_known": isKnown]
        }
    }

    /// Decides on a row more.
    func admission(_ db: Database, _ place: Place, at now: Moment) throws -> SharedTotal.Admission<String> {
        try total.admission(of: place.levels, isKnown: place.isKnown) { scope throws(any Error) in
            try count(db, scope, at: now)
        } unanswered: { scope throws(any Error) in
            let (condition, arguments) = Self.condition(scope, at: now)
            return try db.rows(
                """
                SELECT \(key) AS name, coalesce(own, '') AS own, coalesce(wider, '') AS wider,
                    coalesce(widest, '') AS widest
                FROM \(table) WHERE \(isLive) AND \(condition) AND \(isUnanswered)
                ORDER BY expires_wall, rowid
                """,
                arguments
            ).map { row in
                let levels = OriginLevels(
                    origin: try row.get("own"),
                    wider: try row.get("wider"),
                    widest: try row.get("widest")
                )
                return SharedTotal.Unanswered(id: try row.get("name"), levels: levels)
            }
        }
    }

    /// The number of rows that an origin has itself.
    func count(_ db: Database, of place: Place, at now: Moment) throws -> Int {
        try count(db, .level(.origin, place.levels.origin), at: now)
    }

    /// Milliseconds until the first row ends.
    func firstEnd(_ db: Database, at now: Moment) throws -> Int64 {
        let first = try db.number(
            "SELECT coalesce(min(expires_wall), 0) FROM \(table) WHERE \(isLive)",
            ["wall": now.wall]
        )
        return max(1, first - now.wall)
    }

    private func count(_ db: Database, _ scope: SharedTotal.Scope, at now: Moment) throws -> Int {
        let (condition, arguments) = Self.condition(scope, at: now)
        return Int(try db.number("SELECT count(*) FROM \(table) WHERE \(isLive) AND \(condition)", arguments))
    }

    private static func condition(_ scope: SharedTotal.Scope, at now: Moment) -> (String, StatementArguments) {
        switch scope {
        case .all: return ("true", ["wall": now.wall])
        case .strangers: return ("is_known = 0", ["wall": now.wall])
        case .level(let level, let name):
            let column =
                switch level {
                case .origin: "own"
                case .wider: "wider"
                case .widest: "widest"
                }
            return ("\(column) = :name", ["wall": now.wall, "name": name])
        }
    }
}
