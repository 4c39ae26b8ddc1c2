import DurableSQLite
import GRDB
import Moments
import Origins
import Storage

/// A table with a limited number of rows, which the origins share as ``SharedTotal`` defines.
///
/// The columns `own`, `wider` and `widest` contain keyed hashes of the origin's name at each level. The column
/// `is_known` is 1 if the origin is known.
struct SharedRows {
    let table: String
    let key: String
    let total: SharedTotal
    /// The SQL condition for a row to be counted, which can use the current time as `:wall`.
    let isLive: String
    let isUnanswered: String

    /// The origin levels that are stored in a row, and whether the origin of the row is known.
    struct Place {
        let levels: OriginLevels
        let isKnown: Bool

        init(_ db: Database, _ origin: OriginLevels, _ core: Core, at now: Moment) throws {
            let successes = AuthorityStore.Successes(core: core)
            levels = OriginLevels(
                origin: successes.mac(origin, .origin),
                wider: successes.mac(origin, .wider),
                widest: successes.mac(origin, .widest)
            )
            isKnown = try successes.isKnown(db, origin, at: now)
        }

        /// Creates the origin levels for an authenticated client, which counts as a known origin.
        init(client: String, _ core: Core) {
            let name = core.mac("origin", "client\u{1F}\(client)")
            levels = OriginLevels(alone: name)
            isKnown = true
        }

        var columns: ColumnValues {
            ["own": levels.origin, "wider": levels.wider, "widest": levels.widest, "is_known": isKnown]
        }
    }

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

    /// Groups the unanswered rows in `part` by their name at `level`, and returns the sizes of two groups.
    ///
    /// These are the group to which `place` belongs and the largest group.
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
        // The `+` makes SQLite use an index for the condition instead of reading all rows in another index's order.
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

    func count(_ db: Database, of place: Place, at now: Moment) throws -> Int {
        try count(db, .level(.origin, place.levels.origin), at: now)
    }

    /// Returns the time until the first row expires, in milliseconds.
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

    /// Returns the SQL condition for the rows in `part`.
    ///
    /// The condition also compares the wider levels, so SQLite can use the index on `widest`.
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

    private static func column(_ level: OriginLevels.Level) -> String {
        switch level {
        case .origin: "own"
        case .wider: "wider"
        case .widest: "widest"
        }
    }
}
