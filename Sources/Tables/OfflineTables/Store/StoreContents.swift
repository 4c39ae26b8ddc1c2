import DurableSQLite
import GRDB
import TablesClient

struct StoreContents: Hashable, Sendable {
    struct Setting: Hashable, Sendable {
        let kind: SyncSetting
        let key: String
        let table: String
        let value: String
    }

    let rows: [String: [RemoteRow]]
    let operations: [TableOperation]
    let errors: [TableOperationError]
    let settings: [Setting]
}

extension SQLiteTransaction {
    func contents() throws -> StoreContents {
        let tables = try db.rows("SELECT DISTINCT \"table\" FROM MS_TableRows").map { row -> String in row[0] }
        var rows: [String: [RemoteRow]] = [:]
        for table in tables { rows[table] = try self.rows(in: table) }
        let settings = try db.rows("SELECT keyType, key, \"table\", value FROM MS_TableConfig")
            .compactMap { row -> StoreContents.Setting? in
                SyncSetting(rawValue: row[0]).map { .init(kind: $0, key: row[1], table: row[2], value: row[3]) }
            }
        return StoreContents(
            rows: rows,
            operations: try operations(in: nil),
            errors: try errors(in: nil),
            settings: settings
        )
    }

    /// Writes the contents of another store into this store, which must be empty.
    func add(_ contents: StoreContents) throws {
        for (table, rows) in contents.rows {
            for row in rows { try save(row, in: table) }
        }
        for operation in contents.operations { try insert(operation) }
        for error in contents.errors { try save(error) }
        for setting in contents.settings { try set(setting.kind, setting.key, of: setting.table, to: setting.value) }
    }
}
