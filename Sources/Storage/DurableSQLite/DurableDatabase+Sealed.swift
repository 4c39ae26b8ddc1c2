import Foundation
import GRDB
public import Storage

extension DurableDatabase {
    /// Returns the column's first value that cannot be decrypted, or `nil` if there is no such value or the store is
    /// not encrypted.
    public func firstDamaged(in column: SealedColumn) throws(StoreError) -> DamagedRow? {
        guard let sealing = options.sealing else { return nil }
        return try readInline { db in
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT \(column.key) AS row_key, \(column.column) AS sealed FROM \(column.table)
                    WHERE \(column.column) IS NOT NULL
                    """
            )
            while let row = try rows.next() {
                let key: String = try row.get("row_key")
                do {
                    _ = try sealing.open(try row.get("sealed"), column, row: key)
                } catch let damage as DamagedRow {
                    return damage
                }
            }
            return nil
        }
    }
}
