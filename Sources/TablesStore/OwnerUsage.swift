import DurableSQLite
import GRDB
import Tables
import TablesSQLite

/// The rows and bytes that an owner has in all tables, as the transaction sees them.
struct OwnerUsage: Hashable {
    let rows: Int
    let bytes: Int

    init(_ db: Database, _ owner: String) throws {
        let row = try db.row(TableSQL.selectUsage, [owner])
        rows = row?["rows"] ?? 0
        bytes = row?["bytes"] ?? 0
    }

    /// Refuses what made them more than they may be.
    ///
    /// - Throws: ``TablesStoreError`` `tooManyRows` or `tooManyBytes`, which undoes the write.
    static func check(_ db: Database, _ owner: String, _ limits: OwnerLimits) throws {
        let usage = try OwnerUsage(db, owner)
        guard usage.rows <= limits.rows else { throw TablesStoreError(.tooManyRows) }
        guard usage.bytes <= limits.bytes else { throw TablesStoreError(.tooManyBytes) }
    }
}
