import DurableSQLite
import Foundation
import GRDB
import OAuth
import Storage
import Tables
import TablesClient

/// A row as read from the database, before its values are decrypted.
struct StoredRow: Sendable {
    private let id: String
    private let createdAt: Int64?
    private let updatedAt: Int64?
    private let version: String?
    private let isDeleted: Bool
    private let item: Data

    /// Creates a row from columns for id, creation time, update time, version, deleted flag and values, in this order.
    init(_ row: Row) {
        id = row[0]
        createdAt = row[1]
        updatedAt = row[2]
        version = row[3]
        isDeleted = row[4]
        item = row[5]
    }

    /// Decrypts and decodes the row, or throws `DamagedRow` or `StoreError` if the row is damaged.
    func opened(of table: String, _ values: SealedValues) throws -> RemoteRow {
        let json = try values.json(item, SyncSchema.rows, Self.place(id, table))
        guard let id = RowID(id), let members = json.object else { throw SealedValues.corrupt }
        return RemoteRow(
            id: id,
            // Columns never store arrays or objects, so every stored value can be converted.
            values: members.mapValues { TableValue(json: $0) ?? .null },
            version: version.map { RowVersion($0) },
            createdAt: createdAt,
            updatedAt: updatedAt,
            isDeleted: isDeleted
        )
    }

    /// Returns a string that identifies the row and is authenticated together with the row's encrypted values.
    ///
    /// The string is unambiguous, because its separator is a control character, which a table name cannot contain.
    static func place(_ id: String, _ table: String) -> String {
        var place = table
        place.reserveCapacity(table.utf8.count + id.utf8.count + 1)
        place += "\u{1F}"
        place += id
        return place
    }
}
