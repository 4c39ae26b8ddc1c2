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
    /// The condition of an unanswered row.
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

        /// The place of an authenticated client, from any origin.
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

    /// Decides on a row more; the database counts, and no more than one row is read.
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

    /// The sizes of the groups that a level divides the unanswered rows of a part into.
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
        // By `+column`, so that the rows are searched by the condition and not read in the order of another index.
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

    /// The youngest unanswered row of a group.
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
            return ("\(column(level)) = :name", ["wall": now.wall, "name": name])
        }
    }

    /// The condition of the rows of a part; the levels above one are named as well, for the index of the widest.
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

    /// The column of a level.
    private static func column(_ level: OriginLevels.Level) -> String {
        switch level {
        case .origin: "own"
        case .wider: "wider"
        case .widest: "widest"
        }
    }
}
