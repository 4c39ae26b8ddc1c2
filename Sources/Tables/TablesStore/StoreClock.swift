import DurableSQLite
import GRDB
import GRDBSQLite
import Storage
import TablesSQL
import TablesSQLite

/// The times of an owner's writes in one table, which never stand still or go back.
enum StoreClock {
    /// The time of the newest deletion that was forgotten; 0 if none was.
    static func horizon(_ db: Database, _ table: String, _ owner: String) throws -> Int64 {
        try db.number("SELECT horizon FROM clocks WHERE table_name = $1 AND owner = $2", [table, owner])
    }

    /// Remembers that deletions up to `time` were forgotten.
    static func forget(_ db: Database, _ table: String, _ owner: String, upTo time: Int64) throws {
        let sql = "UPDATE clocks SET horizon = max(horizon, $1) WHERE table_name = $2 AND owner = $3"
        try db.run(sql, [time, table, owner])
    }

    /// The next time: now, or just after the last if the clock has not moved on since; under load it runs ahead.
    ///
    /// - Parameters:
    ///   - db: The transaction.
    ///   - table: The table.
    ///   - owner: The owner.
    ///   - now: The current time.
    ///   - count: The number of consecutive times; the last one is returned.
    ///   - ids: The number of ids to be given, in a table whose ids are numbers.
    /// - Returns: The time, and the newest id.
    /// - Throws: The error of the database.
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
        guard let clock else { throw StoreError(.failed, "the clock of \(table) did not answer") }
        return clock
    }

    private static let advance = """
        INSERT INTO clocks (table_name, owner, last, last_id) VALUES ($1, $2, $3, $4)
        ON CONFLICT (table_name, owner) DO UPDATE SET last = max(excluded.last, last + $5),
        last_id = last_id + excluded.last_id RETURNING last, last_id
        """
}
