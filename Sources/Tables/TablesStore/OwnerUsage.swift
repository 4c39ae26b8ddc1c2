import GRDB
import GRDBSQLite
import Tables
import TablesSQL
import TablesSQLite

/// An owner's row count and byte count across all tables, as seen by the current transaction.
struct OwnerUsage: Hashable {
    let rows: Int
    let bytes: Int

    init(_ db: Database, _ owner: String) throws {
        var usage = (rows: 0, bytes: 0)
        try RawStatement(TableSQL.selectUsage, [.text(owner)]).run(db) {
            usage = (Int(sqlite3_column_int64($0, 0)), Int(sqlite3_column_int64($0, 1)))
        }
        rows = usage.rows
        bytes = usage.bytes
    }

    /// Checks the owner's limits after a write, and throws `tooManyRows` or `tooManyBytes`, which rolls the write back.
    static func check(_ db: Database, _ owner: String, _ limits: OwnerLimits) throws {
        let usage = try OwnerUsage(db, owner)
        guard usage.rows <= limits.rows else { throw TablesStoreError(.tooManyRows) }
        guard usage.bytes <= limits.bytes else { throw TablesStoreError(.tooManyBytes) }
    }
}
