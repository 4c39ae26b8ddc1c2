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

    /// Makes the sort keys of a table anew whose stored ones were made in another way.
    func refreshSortKeys(_ name: String) async throws(StoreError) {
        guard let table = tables[name].map(wide) else { return }
        let old = try await database.read { db in
            try String.fetchAll(
                db,
                sql: "SELECT name FROM columns WHERE table_name = $1 AND type = 'string' AND sort_version <> $2",
                arguments: [name, SortKey.fingerprint]
            )
        }
        for column in old.compactMap(table.definition.column) {
            var last: Int64? = 0
            while let from = last {
                last = try await database.write { db in try Self.refresh(db, table, column, after: from) }
            }
            try await database.write { db in
                try db.run(
                    "UPDATE columns SET sort_version = $1 WHERE table_name = $2 AND name = $3",
                    [SortKey.fingerprint, name, column.name.lowercased()]
                )
            }
        }
    }

    /// - Returns: The last row of the batch; nil if there are no rows behind it.
    private static func refresh(
        _ db: Database,
        _ table: TableSQL,
        _ column: TableColumn,
        after last: Int64
    ) throws -> Int64? {
        guard let update = table.updateKey(column) else { return nil }
        var texts: [(row: Int64, key: SQLValue)] = []
        let arguments: [SQLValue] = [.integer(last), .integer(Int64(batch))]
        try RawStatement(table.selectTexts(column), arguments).run(db) { statement in
            let isNull = sqlite3_column_type(statement, 1) == SQLITE_NULL
            let key: SQLValue = isNull ? .null : .text(SortKey.of(RowReader.text(at: 1, of: statement)))
            texts.append((sqlite3_column_int64(statement, 0), key))
        }
        for (row, key) in texts { try RawStatement(update, [key, .integer(row)]).run(db) }
        return texts.count < batch ? nil : texts.last?.row
    }
}
