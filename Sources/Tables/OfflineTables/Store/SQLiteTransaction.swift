import DurableSQLite
import Foundation
import GRDB
import OAuth
import Storage
import Tables
import TablesClient

struct SQLiteTransaction: SyncTransaction {
    let db: Database
    let values: SealedValues

    init(db: Database, sealing: Sealing?) {
        self.db = db
        values = SealedValues(sealing: sealing)
    }

    // MARK: Rows

    private static let rowColumns = "id, ms_createdAt, ms_updatedAt, ms_version, ms_deleted, item"

    func row(_ id: RowID, in table: String) throws -> RemoteRow? {
        try db.row(
            "SELECT \(Self.rowColumns) FROM MS_TableRows WHERE \"table\" = :table AND id = :id",
            ["table": table, "id": id.text]
        ).map { try StoredRow($0).opened(of: table, values) }
    }

    func rows(in table: String) throws -> [RemoteRow] { try rows(in: table) { $0 } }

    func rows(
        in table: String,
        as body: @escaping @Sendable (consuming RemoteRow) -> RemoteRow
    ) throws -> [RemoteRow] {
        let statement = try db.cachedStatement(
            sql: "SELECT \(Self.rowColumns) FROM MS_TableRows WHERE \"table\" = :table"
        )
        // Decryption takes most of the time for a long list, so it runs on several threads.
        let portions = ParallelBatches<StoredRow, RemoteRow> { [values] rows in
            try rows.map { body(try $0.opened(of: table, values)) }
        }
        let cursor = try Row.fetchCursor(statement, arguments: ["table": table])
        var rows: [StoredRow] = []
        while let row = try cursor.next() {
            rows.append(StoredRow(row))
            guard rows.count == ParallelBatches<StoredRow, RemoteRow>.size else { continue }
            portions.add(rows)
            rows = []
        }
        return try portions.values(endingWith: rows)
    }

    func save(_ row: RemoteRow, in table: String) throws {
        let item = JSONValue.object(row.values.mapValues(\.json)).bytes
        try db.run(
            """
            INSERT INTO MS_TableRows ("table", id, ms_createdAt, ms_updatedAt, ms_version, ms_deleted, item)
            VALUES (:table, :id, :created, :updated, :version, :deleted, :item)
            ON CONFLICT ("table", id) DO UPDATE SET ms_createdAt = excluded.ms_createdAt,
            ms_updatedAt = excluded.ms_updatedAt, ms_version = excluded.ms_version,
            ms_deleted = excluded.ms_deleted, item = excluded.item
            """,
            [
                "table": table, "id": row.id.text, "created": row.createdAt, "updated": row.updatedAt,
                "version": row.version?.description, "deleted": row.isDeleted,
                "item": try values.sealed(item, SyncSchema.rows, StoredRow.place(row.id.text, table)),
            ]
        )
    }

    func removeRow(_ id: RowID, from table: String) throws {
        try db.run(
            "DELETE FROM MS_TableRows WHERE \"table\" = :table AND id = :id",
            ["table": table, "id": id.text]
        )
    }

    // MARK: Operations

    private static let operationColumns = "id, \"table\", itemId, properties"

    func operations(of id: RowID, in table: String) throws -> [TableOperation] {
        try db.rows(
            """
            SELECT \(Self.operationColumns) FROM MS_TableOperations
            WHERE "table" = :table AND itemId = :id ORDER BY id
            """,
            ["table": table, "id": id.text]
        ).map(operation)
    }

    func operations(in table: String?) throws -> [TableOperation] {
        try db.rows(
            "SELECT \(Self.operationColumns) FROM MS_TableOperations WHERE \"table\" = coalesce(:table, \"table\") ORDER BY id",
            ["table": table]
        ).map(operation)
    }

    func operation(after number: Int64, in tables: Set<String>?) throws -> TableOperation? {
        var last = number
        // Each query continues after the last number read, so a push reads each operation only once.
        while let row = try db.row(
            "SELECT \(Self.operationColumns) FROM MS_TableOperations WHERE id > :last ORDER BY id LIMIT 1",
            ["last": last]
        ) {
            last = row[0]
            let table: String = row[1]
            if tables?.contains(table) ?? true { return try operation(row) }
        }
        return nil
    }

    func pendingIDs(in table: String) throws -> Set<String> {
        Set(
            try db.rows("SELECT DISTINCT itemId FROM MS_TableOperations WHERE \"table\" = :table", ["table": table])
                .map { $0[0] }
        )
    }

    func operationCount(in table: String?) throws -> Int {
        try db.row(
            "SELECT count(*) FROM MS_TableOperations WHERE \"table\" = coalesce(:table, \"table\")",
            ["table": table]
        )?[0] ?? 0
    }

    func add(_ operation: TableOperation) throws {
        let number: Int64 = try db.row("SELECT coalesce(max(id), 0) + 1 FROM MS_TableOperations")?[0] ?? 1
        try insert(operation.numbered(number))
    }

    func insert(_ operation: TableOperation) throws {
        try db.run(
            """
            INSERT INTO MS_TableOperations (id, itemId, properties, "table", tableKind)
            VALUES (:id, :item, :properties, :table, 0)
            """,
            [
                "id": operation.id, "item": operation.itemID.text, "table": operation.table,
                "properties": try values.sealed(operation.properties.bytes, SyncSchema.operations, "\(operation.id)"),
            ]
        )
    }

    func save(_ operation: TableOperation) throws {
        try db.run(
            "UPDATE MS_TableOperations SET properties = :properties WHERE id = :id",
            [
                "id": operation.id,
                "properties": try values.sealed(operation.properties.bytes, SyncSchema.operations, "\(operation.id)"),
            ]
        )
    }

    func removeOperation(_ number: Int64) throws {
        try db.run("DELETE FROM MS_TableOperations WHERE id = :id", ["id": number])
        try removeErrors(of: number)
    }

    private func operation(_ row: Row) throws -> TableOperation {
        let number: Int64 = row[0]
        let properties = try values.json(row[3], SyncSchema.operations, "\(number)")
        guard
            let operation = TableOperation(
                id: number,
                table: row[1],
                itemID: row[2],
                properties: properties
            )
        else { throw SealedValues.corrupt }
        return operation
    }

    // MARK: Errors

    func errors(in table: String?) throws -> [TableOperationError] {
        try db.rows("SELECT id, operationID, properties FROM MS_TableOperationErrors ORDER BY operationID")
            .map(error)
            .filter { table == nil || $0.table == table }
    }

    func errors(of number: Int64) throws -> [TableOperationError] {
        try db.rows(
            "SELECT id, operationID, properties FROM MS_TableOperationErrors WHERE operationID = :id",
            ["id": number]
        ).map(error)
    }

    private func error(_ row: Row) throws -> TableOperationError {
        let id: String = row[0]
        let json = try values.json(row[2], SyncSchema.errors, id)
        guard let error = TableOperationError(id: id, operationID: row[1], properties: json) else {
            throw SealedValues.corrupt
        }
        return error
    }

    func save(_ error: TableOperationError) throws {
        try removeErrors(of: error.operationID)
        try db.run(
            """
            INSERT INTO MS_TableOperationErrors (id, operationID, properties, tableKind)
            VALUES (:id, :operation, :properties, 0)
            """,
            [
                "id": error.id, "operation": error.operationID,
                "properties": try values.sealed(error.properties.bytes, SyncSchema.errors, error.id),
            ]
        )
    }

    func removeErrors(of number: Int64) throws {
        try db.run("DELETE FROM MS_TableOperationErrors WHERE operationID = :id", ["id": number])
    }

    // MARK: Settings

    func setting(_ kind: SyncSetting, _ key: String, of table: String) throws -> String? {
        try db.row(
            "SELECT value FROM MS_TableConfig WHERE \"table\" = :table AND keyType = :kind AND key = :key",
            ["table": table, "kind": kind.rawValue, "key": key]
        )?[0]
    }

    func set(_ kind: SyncSetting, _ key: String, of table: String, to value: String) throws {
        try db.run(
            """
            INSERT INTO MS_TableConfig (key, keyType, "table", value) VALUES (:key, :kind, :table, :value)
            ON CONFLICT ("table", keyType, key) DO UPDATE SET value = excluded.value
            """,
            ["table": table, "kind": kind.rawValue, "key": key, "value": value]
        )
    }

    func settings(_ kind: SyncSetting, of table: String) throws -> [String: String] {
        let rows = try db.rows(
            "SELECT key, value FROM MS_TableConfig WHERE \"table\" = :table AND keyType = :kind",
            ["table": table, "kind": kind.rawValue]
        )
        return Dictionary(rows.map { row -> (String, String) in (row[0], row[1]) }) { first, _ in first }
    }

    func removeSetting(_ kind: SyncSetting, _ key: String, of table: String) throws {
        try db.run(
            "DELETE FROM MS_TableConfig WHERE \"table\" = :table AND keyType = :kind AND key = :key",
            ["table": table, "kind": kind.rawValue, "key": key]
        )
    }

    func removeSettings(_ kind: SyncSetting, of table: String) throws {
        try db.run(
            "DELETE FROM MS_TableConfig WHERE \"table\" = :table AND keyType = :kind",
            ["table": table, "kind": kind.rawValue]
        )
    }
}
