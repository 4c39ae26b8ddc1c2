import GRDB
import Storage
import Tables

/// The statements of one table.
struct TableSQL: Sendable {
    let definition: Tables.TableDefinition
    /// The table's name in the database.
    let name: String
    private let columns: [Tables.Column]

    init(_ definition: Tables.TableDefinition) {
        self.definition = definition
        name = "\"t_\(definition.name.lowercased())\""
        columns = definition.columns
    }

    var create: String {
        """
        CREATE TABLE IF NOT EXISTS \(name) (
            owner TEXT NOT NULL, id TEXT NOT NULL, createdAt INTEGER NOT NULL, updatedAt INTEGER NOT NULL,
            deleted INTEGER NOT NULL, PRIMARY KEY (owner, id)
        ) STRICT
        """
    }

    var indexes: [String] {
        let plain = definition.name.lowercased()
        return [
            "CREATE INDEX IF NOT EXISTS \"i_\(plain)_created\" ON \(name) (owner, deleted, createdAt, id)",
            "CREATE INDEX IF NOT EXISTS \"i_\(plain)_dead\" ON \(name) (updatedAt) WHERE deleted = 1",
        ]
    }

    func add(_ column: Tables.Column) -> String {
        "ALTER TABLE \(name) ADD COLUMN \(Self.quoted(column)) \(Self.storage(column.type))"
    }

    var selectRow: String { "SELECT \(list) FROM \(name) WHERE owner = $1 AND id = $2" }

    var selectPage: String {
        "SELECT \(list) FROM \(name) WHERE owner = $1 AND deleted = 0 ORDER BY createdAt, id LIMIT $2 OFFSET $3"
    }

    /// Rows whose column holds exactly one text, oldest first; the index of the owner's rows bounds what is read.
    func selectMatching(_ column: Tables.Column) -> String {
        """
        SELECT \(list) FROM \(name) WHERE owner = $1 AND deleted = 0 AND \(Self.quoted(column)) = $2 \
        ORDER BY createdAt, id LIMIT $3
        """
    }

    var insert: String {
        let names = columns.map(Self.quoted)
        let marks = (1...(5 + columns.count)).map { "$\($0)" }
        return """
            INSERT INTO \(name) (\((["owner", "id", "createdAt", "updatedAt", "deleted"] + names).joined(separator: ", "))) \
            VALUES (\(marks.joined(separator: ", ")))
            """
    }

    /// SQLite numbers parameters as they first appear, so they appear in the order of their numbers.
    var update: String {
        let sets = columns.enumerated().map { "\(Self.quoted($1)) = $\($0 + 3)" }
        return "UPDATE \(name) SET \((["updatedAt = $1", "deleted = $2"] + sets).joined(separator: ", ")) "
            + "WHERE owner = $\(columns.count + 3) AND id = $\(columns.count + 4)"
    }

    var delete: String { "DELETE FROM \(name) WHERE owner = $1 AND id = $2" }

    /// Traces of deleted rows that nobody waits for any more.
    var purge: String {
        """
        DELETE FROM \(name) WHERE (owner, id) IN \
        (SELECT owner, id FROM \(name) WHERE deleted = 1 AND updatedAt < $1 ORDER BY updatedAt LIMIT $2)
        """
    }

    /// Arguments for the table's own columns.
    func arguments(_ row: Tables.Row) -> [(any DatabaseValueConvertible)?] {
        columns.map { Self.argument(row.values[$0.name] ?? .null) }
    }

    private static func argument(_ value: TableValue) -> (any DatabaseValueConvertible)? {
        switch value {
        case .null: return nil
        case .boolean(let value): return value
        case .number(let value): return value
        case .string(let value): return value
        case .date(let value): return value
        }
    }

    /// The row of a `SELECT` above.
    func row(_ record: GRDB.Row) throws -> Tables.Row {
        guard let id = RowID(record[0] as String) else { throw StoreError(.corrupt, "a stored id is damaged") }
        var values: [String: TableValue] = [:]
        for (index, column) in columns.enumerated() {
            values[column.name] = Self.value(record, at: index + 4, column.type)
        }
        return Tables.Row(id: id, values: values, createdAt: record[1], updatedAt: record[2], isDeleted: record[3])
    }

    private static func value(_ record: GRDB.Row, at index: Int, _ type: ColumnType) -> TableValue {
        if record.hasNull(atIndex: index) { return .null }
        switch type {
        case .boolean: return .boolean(record[index])
        case .number: return .number(record[index])
        case .string: return .string(record[index])
        case .date: return .date(record[index])
        }
    }

    private var list: String {
        (["id", "createdAt", "updatedAt", "deleted"] + columns.map(Self.quoted)).joined(separator: ", ")
    }

    private static func quoted(_ column: Tables.Column) -> String { "\"c_\(column.name.lowercased())\"" }

    private static func storage(_ type: ColumnType) -> String {
        switch type {
        case .string: "TEXT"
        case .number: "REAL"
        case .boolean, .date: "INTEGER"
        }
    }
}

extension GRDB.Row {
    fileprivate func hasNull(atIndex index: Int) -> Bool { (self[index] as DatabaseValue).isNull }
}
