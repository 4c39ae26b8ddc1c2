import DurableSQLite
import GRDB
import GRDBSQLite
import Storage
import Tables
import TablesSQL
import TablesSQLite

extension TablesStore {
    /// Updates the metrics that are measured on demand: waiting writes, and the sizes of the database and its log.
    public func measure() async { database.measure() }

    /// The numbers of long queries that are running and waiting.
    public var longQueries: (running: Int, waiting: Int) { places.load }

    /// The maximum number of rows in one maintenance transaction.
    static let batch = 1000

    /// Removes expired tombstones and idempotency keys, and returns the number of removed tombstones.
    ///
    /// A client that requests changes since a time before a removed tombstone must read the whole table again.
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
