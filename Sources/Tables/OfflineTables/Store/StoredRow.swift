import DurableSQLite
import Foundation
import GRDB
import OAuth
import Storage
import Tables
import TablesClient

/// A row as the database has it, its values sealed or plain.
struct StoredRow: Sendable {
    private let id: String
    private let createdAt: Int64?
    private let updatedAt: Int64?
    private let version: String?
    private let isDeleted: Bool
    private let item: Data

    /// Reads id, times, version, deletion and values, in this order.
    init(_ row: Row) {
        id = row[0]
        createdAt = row[1]
        updatedAt = row[2]
        version = row[3]
        isDeleted = row[4]
        item = row[5]
    }

    /// The row with its values.
    ///
    /// - Throws: `DamagedRow` or `StoreError` for one that does not open.
    func opened(of table: String, _ values: SealedValues) throws -> RemoteRow {
        let json = try values.json(item, SyncSchema.rows, Self.place(id, table))
        guard let id = RowID(id), let members = json.object else { throw SealedValues.corrupt }
        return RemoteRow(
            id: id,
            // A column holds no arrays and objects, so none was ever stored.
            values: members.mapValues { TableValue(json: $0) ?? .null },
            version: version.map { RowVersion($0) },
            createdAt: createdAt,
            updatedAt: updatedAt,
            isDeleted: isDeleted
        )
    }

    /// The place of a row within the sealing: a table's name has no control characters.
    static func place(_ id: String, _ table: String) -> String {
        var place = table
        place.reserveCapacity(table.utf8.count + id.utf8.count + 1)
        place += "\u{1F}"
        place += id
        return place
    }
}
