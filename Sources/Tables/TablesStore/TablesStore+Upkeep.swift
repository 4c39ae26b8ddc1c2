import DurableSQLite
import GRDB
import GRDBSQLite
import Storage
import Tables
import TablesSQL
import TablesSQLite

extension TablesStore {
    /// Sets the gauges of what has a value only when somebody looks: waiting changes, sizes of the database and its log.
    public func measure() async { database.measure() }

    /// The numbers of long queries that run and that wait for a place now.
    public var longQueries: (running: Int, waiting: Int) { places.load }

    /// Rows that one transaction of upkeep takes.
    static let batch = 1000

    /// Forgets tombstones that are older than their tables keep them, and keys of inserts that are over.
    ///
    /// The time of the newest one that was forgotten is kept for each owner: a client that follows the table since before must
    /// read it anew.
    ///
    /// - Returns: The number of tombstones that were forgotten.
    public func purge() async throws -> Int {
        let day: Int64 = 24 * 3600 * 1000
        var total = 0
        for table in tables.values {
            while true {
                let count = try await write { db, now in
                    let oldest = now - Int64(table.definition.tombstoneDays) * day
                    return try Self.forget(db, table, before: oldest)
                }
                total += count
                if count < Self.batch { break }
            }
        }
        _ = try await write { db, now in try db.run(StoredInsertion.purge, [now]) }
        return total
    }

    private static func forget(_ db: Database, _ table: TableSQL, before oldest: Int64) throws -> Int {
        var count = 0
        var newest: [String: Int64] = [:]
        try RawStatement(table.purge, [.integer(oldest), .integer(Int64(batch))]).run(db) { statement in
            count += 1
            let owner = RowReader.text(at: 0, of: statement)
            newest[owner] = max(newest[owner] ?? 0, sqlite3_column_int64(statement, 1))
        }
        for (owner, time) in newest { try StoreClock.forget(db, table.plainName, owner, upTo: time) }
        return count
    }
}
