import DurableSQLite
import GRDB
import GRDBSQLite
import Storage
import TablesSQL
import TablesSQLite

/// Assigns times to an owner's writes to a table, each later than the time before.
enum StoreClock {
    /// Returns the time of the newest tombstone that was removed, or 0 if no tombstone was removed.
    static func horizon(_ db: Database, _ table: String, _ owner: String) throws -> Int64 {
        try db.number("SELECT horizon FROM clocks WHERE table_name = $1 AND owner = $2", [table, owner])
    }

    /// Records that tombstones with times up to `time` were removed.
    static func forget(_ db: Database, _ table: String, _ owner: String, upTo time: Int64) throws {
        let sql = "UPDATE clocks SET horizon = max(horizon, $1) WHERE table_name = $2 AND owner = $3"
        try db.run(sql, [time, table, owner])
    }

    /// Reserves `count` write times and `ids` numeric ids, and returns the last time and the last id.
    ///
    /// The times begin at the current time, or 1 ms after the last write if that is later.
    static func tick(
        _ db: Database,
        _ table: String,
        _ owner: String,
        _ now: Int64,
        count: Int = 1,
        ids: Int = 0
    ) throws -> (time: Int64, id: Int64) {
        let arguments: [SQLValue] = [
            .text(table), .text(owner), .integer(now + Int64(count) - 1), .integer(Int64(ids)), .integer(Int64(count)),
        ]
        var clock: (time: Int64, id: Int64)?
        try RawStatement(advance, arguments).run(db) {
            clock = (sqlite3_column_int64($0, 0), sqlite3_column_int64($0, 1))
        }
        guard let clock else { throw StoreError(.failed, "the clock of \(table) returned no time") }
        return clock
    }

    private static let advance = """
        INSERT INTO clocks (table_name, owner, last, last_id) VALUES ($1, $2, $3, $4)
        ON CONFLICT (table_name, owner) DO UPDATE SET last = max(excluded.last, last + $5),
        last_id = last_id + excluded.last_id RETURNING last, last_id
        """
}
