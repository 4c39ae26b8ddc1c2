import DurableSQLite
import GRDB
import Moments
import Origins
import Storage

/// A table with a limited number of rows, which all origins share.
///
/// Only this type applies ``SharedTotal`` to rows.
///
/// The table has the columns `own`, `wider` and `widest`, which contain keyed hashes, and `is_known`.
struct SharedRows {
    /// The name of the table.
    let table: String
    /// The name of the key column.
    let key: String
    /// The total, and how it is divided.
    let total: SharedTotal
    /// The SQL condition that a row must match to be counted.
    ///
    /// The condition can refer to `:wall`, the current time.
    let isLive: String
    /// The SQL condition of an unanswered row.
    let isUnanswered: String

    /// The origin levels of a row as stored in the database, and whether its origin is known.
    struct Place {
        let levels: OriginLevels
        let isKnown: Bool

        /// Creates the place of an origin.
        init(_ db: Database, _ origin: OriginLevels, _ core: Core, at now: Moment) throws {
            let successes = AuthorityStore.Successes(core: core)
            levels = OriginLevels(
                origin: successes.mac(origin, .origin),
                wider: successes.mac(origin, .wider),
                widest: successes.mac(origin, .widest)
            )
            isKnown = try successes.isKnown(db, origin, at: now)
        }

        /// Creates the place of an authenticated client, independent of its origin.
        init(client: String, _ core: Core) {
            let name = core.mac("origin", "client\u{1F}\(client)")
            levels = OriginLevels(alone: name)
            isKnown = true
        }

        /// The values of the columns.
        var columns: ColumnValues {
            ["own": levels.origin, "wider": levels.wider, "widest": levels.widest, "is_known": isKnown]
        }
    }

    /// Decides whether one more row is admitted.
    ///
    /// The counting is done in SQL, and at most one row is read.
    func admission(_ db: Database, _ place: Place, at now: Moment) throws -> SharedTotal.Admission<String> {
        try total.admission(
            of: place.levels,
            isKnown: place.isKnown,
            count: { scope throws(any Error) in try count(db, scope, at: now) },
            sizes: { part, level throws(any Error) in try sizes(db, part, by: level, place, at: now) },
            youngest: { part, level, name throws(any Error) in
                try youngest(db, part, at: level, name: name, place, now)
            }
        )
    }

    /// Returns how many unanswered rows of a part this origin has at a level, and the largest number that any origin
    /// has.
    private func sizes(
        _ db: Database,
        _ part: SharedTotal.Part,
        by level: OriginLevels.Level,
        _ place: Place,
        at now: Moment
    ) throws -> SharedTotal.Sizes<String?> {
        let column = Self.column(level)
        let (condition, arguments) = Self.condition(part, place, at: now)
        let rows = "\(table) WHERE \(isLive) AND \(condition) AND \(isUnanswered)"
        // The `+` makes SQLite search by the condition. Otherwise, SQLite would read all rows in the order of another
        // index.
        let largest = try db.row(
            "SELECT \(column) AS name, count(*) AS number FROM \(rows) GROUP BY +\(column) ORDER BY number DESC LIMIT 1",
            arguments
        )
        let own = try db.number(
            "SELECT count(*) FROM \(rows) AND \(column) = :share",
            arguments + ["share": place.levels[level]]
        )
        guard let largest else { return SharedTotal.Sizes(own: Int(own), largest: 0, name: nil) }
        let name: String? = try largest.optional("name")
        return SharedTotal.Sizes(own: Int(own), largest: try largest.get("number"), name: name)
    }

    /// Returns the newest unanswered row of a group, or `nil`.
    private func youngest(
        _ db: Database,
        _ part: SharedTotal.Part,
        at level: OriginLevels.Level,
        name: String?,
        _ place: Place,
        _ now: Moment
    ) throws -> String? {
        let (condition, arguments) = Self.condition(part, place, at: now)
        let row = try db.row(
            """
            SELECT \(key) AS name FROM \(table)
            WHERE \(isLive) AND \(condition) AND \(isUnanswered) AND \(Self.column(level)) IS :share
            ORDER BY expires_wall DESC, rowid DESC LIMIT 1
            """,
            arguments + ["share": name]
        )
        return try row.map { try $0.get("name") }
    }

    /// Returns the number of rows of an origin.
    func count(_ db: Database, of place: Place, at now: Moment) throws -> Int {
        try count(db, .level(.origin, place.levels.origin), at: now)
    }

    /// Returns the milliseconds until the first row expires.
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
            return ("\(column(level)) = :name", ["wall": now.wall, "name": name])
        }
    }

    /// Returns the SQL condition that selects the rows in a part.
    ///
    /// The condition includes the wider levels, so SQLite can use the index on `widest`.
    private static func condition(
        _ part: SharedTotal.Part,
        _ place: Place,
        at now: Moment
    ) -> (String, StatementArguments) {
        var (condition, arguments) = Self.condition(part.scope, at: now)
        guard let own = part.own else { return (condition, arguments) }
        for level in OriginLevels.Level.allCases where level.rawValue >= own.rawValue {
            condition += " AND \(column(level)) = :own_\(column(level))"
            arguments += ["own_\(column(level))": place.levels[level]]
        }
        return (condition, arguments)
    }

    /// Returns the column of a level.
    private static func column(_ level: OriginLevels.Level) -> String {
        switch level {
        case .origin: "own"
        case .wider: "wider"
        case .widest: "widest"
        }
    }
}
