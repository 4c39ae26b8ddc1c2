public import Tables
public import TablesSQL

/// The SQL statements for one table, which are built only once.
public struct TableSQL: Sendable {
    /// The number of system columns at the beginning of a `SELECT`: id, createdAt, updatedAt, deleted.
    public static let systemColumns = 4
    /// The name of the SQL function that converts a write time into a version.
    static let versionFunction = "row_version"

    /// The table's declaration.
    public let definition: TableDeclaration
    /// The table's name in lower case.
    public let plainName: String
    /// The table's quoted name in the database.
    public let name: String
    /// The beginning of a `SELECT` statement that returns rows, up to `WHERE owner =`.
    public let select: String
    /// The beginning of a `SELECT` statement that counts rows, up to `WHERE owner =`.
    public let count: String
    /// Selects a row by owner and id.
    public let selectRow: String
    /// Inserts a row unless its id is taken, with the arguments from ``insertion(of:owner:)``.
    public let insert: String
    /// Updates a row, with the arguments from ``change(to:growth:owner:)``.
    public let update: String
    /// Deletes a row by owner and id.
    public let delete: String
    /// Deletes a row, or turns it into a tombstone, unless the row has changed since it was read.
    ///
    /// The arguments are the time (only for a tombstone), owner, id and updatedAt.
    public let bury: String
    /// Deletes tombstones that are older than a given time, up to a maximum number.
    public let purge: String
    /// Translates clients' conditions and sort orders into SQL.
    public let query: QuerySQL

    /// Creates the statements for a table.
    public init(_ definition: TableDeclaration) {
        self.definition = definition
        let plain = definition.name.lowercased()
        plainName = plain
        let name = "\"t_\(plain)\""
        self.name = name
        let columns = definition.columns
        let list = (["id", "createdAt", "updatedAt", "deleted"] + columns.map(Self.quoted)).joined(separator: ", ")
        select = "SELECT \(list) FROM \(name) WHERE owner = "
        count = "SELECT count(*) FROM \(name) WHERE owner = "
        selectRow = "SELECT \(list) FROM \(name) WHERE owner = $1 AND id = $2"
        let own = columns.flatMap(Self.stored)
        let names = (["owner", "id", "createdAt", "updatedAt", "deleted", "bytes"] + own)
        let marks = (1...names.count).map { "$\($0)" }
        insert =
            "INSERT INTO \(name) (\(names.joined(separator: ", "))) VALUES (\(marks.joined(separator: ", "))) "
            + "ON CONFLICT (owner, id) DO NOTHING"
        // SQLite numbers parameters in the order of their first use, so the SQL must use them in order.
        let sets =
            ["updatedAt = $1", "deleted = $2", "bytes = bytes + $3"]
            + own.enumerated().map { "\($1) = $\($0 + 4)" }
        update =
            "UPDATE \(name) SET \(sets.joined(separator: ", ")) "
            + "WHERE owner = $\(own.count + 4) AND id = $\(own.count + 5)"
        delete = "DELETE FROM \(name) WHERE owner = $1 AND id = $2"
        let place = ["owner", "id", "updatedAt"].enumerated()
        let standing = { (first: Int) in
            place.map { "\($1) = $\($0 + first)" }.joined(separator: " AND ") + " AND deleted = 0"
        }
        bury =
            definition.hasSoftDelete
            ? "UPDATE \(name) SET updatedAt = $1, deleted = 1 WHERE \(standing(2))"
            : "DELETE FROM \(name) WHERE \(standing(1))"
        purge = """
            DELETE FROM \(name) WHERE rowid IN \
            (SELECT rowid FROM \(name) WHERE deleted = 1 AND updatedAt < $1 ORDER BY updatedAt LIMIT $2) \
            RETURNING owner, updatedAt
            """
        query = QuerySQL(columns: Self.queryable(definition)) { definition.mayGet($0) }
    }

    /// The statement that creates the table with only its system columns, to which ``add(_:)`` adds the others.
    public var create: String {
        """
        CREATE TABLE IF NOT EXISTS \(name) (
            owner TEXT NOT NULL, id \(definition.idKind.sqlType) NOT NULL,
            createdAt INTEGER NOT NULL, updatedAt INTEGER NOT NULL, deleted INTEGER NOT NULL,
            bytes INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (owner, id)
        ) STRICT
        """
    }

    /// The statements that create the indexes for lists, for incremental pulls and for the removal of tombstones.
    public var indexes: [String] {
        [
            "CREATE INDEX IF NOT EXISTS \"i_\(plainName)_created\" ON \(name) (owner, createdAt, id, deleted)",
            "CREATE INDEX IF NOT EXISTS \"i_\(plainName)_updated\" ON \(name) (owner, updatedAt, id)",
            "CREATE INDEX IF NOT EXISTS \"i_\(plainName)_dead\" ON \(name) (updatedAt) WHERE deleted = 1",
        ]
    }

    /// Returns the statements that add a column and its sort key column.
    public func add(_ column: TableColumn) -> [String] {
        var statements = ["ALTER TABLE \(name) ADD COLUMN \(Self.quoted(column)) \(Self.storage(column.type))"]
        if let key = Self.sortKey(column) { statements.append("ALTER TABLE \(name) ADD COLUMN \(key) TEXT") }
        return statements
    }

    /// Returns the statement that selects the oldest rows with exactly a given value in `column`.
    ///
    /// The arguments are the owner, the value and the maximum number of rows.
    public func selectMatching(_ column: TableColumn) -> String {
        "\(select)$1 AND deleted = 0 AND \(Self.quoted(column)) = $2 ORDER BY createdAt, id LIMIT $3"
    }

    /// Returns the statement that selects a batch of a column's strings, ordered by `rowid`.
    ///
    /// The arguments are the `rowid` of the last row in the previous batch, and the maximum number of rows.
    public func selectTexts(_ column: TableColumn) -> String {
        "SELECT rowid, \(Self.quoted(column)) FROM \(name) WHERE rowid > $1 ORDER BY rowid LIMIT $2"
    }

    /// Returns the statement that sets the sort key for a column of one row, or `nil` for a column without sort keys.
    public func updateKey(_ column: TableColumn) -> String? {
        Self.sortKey(column).map { "UPDATE \(name) SET \($0) = $1 WHERE rowid = $2" }
    }

    /// Returns the arguments of ``insert``.
    public func insertion(of row: TableRow, owner: String) -> [SQLValue] {
        let times: [SQLValue] = [.integer(row.createdAt), .integer(row.updatedAt), .integer(row.isDeleted ? 1 : 0)]
        return [.text(owner), row.id.sqlValue] + times + [.integer(Int64(row.length))] + arguments(row)
    }

    /// Returns the arguments of ``update`` for a row whose strings grow by `growth` bytes.
    public func change(to row: TableRow, growth: Int, owner: String) -> [SQLValue] {
        let system: [SQLValue] = [.integer(row.updatedAt), .integer(row.isDeleted ? 1 : 0), .integer(Int64(growth))]
        return system + arguments(row) + [.text(owner), row.id.sqlValue]
    }

    private func arguments(_ row: TableRow) -> [SQLValue] {
        var arguments: [SQLValue] = []
        arguments.reserveCapacity(definition.columns.count * 2)
        for column in definition.columns {
            let value = row.values[column.name] ?? .null
            arguments.append(value.sqlValue)
            if column.type == .string { arguments.append(value.string.map { .text(SortKey.of($0)) } ?? .null) }
        }
        return arguments
    }

    private static func queryable(_ table: TableDeclaration) -> [SQLColumn] {
        let prefix = table.compatibility == .v1 ? "__" : ""
        let system = [
            SQLColumn(name: "id", sql: "id", type: table.idKind.columnType),
            SQLColumn(name: "\(prefix)createdAt", sql: "createdAt", type: .date),
            SQLColumn(name: "\(prefix)updatedAt", sql: "updatedAt", type: .date),
            SQLColumn(
                name: "\(prefix)version",
                sql: "\(versionFunction)(updatedAt)",
                type: .string,
                sortKey: "updatedAt"
            ),
            SQLColumn(name: "\(prefix)deleted", sql: "deleted", type: .boolean),
        ]
        return system
            + table.columns.map {
                SQLColumn(name: $0.name, sql: quoted($0), type: $0.type, sortKey: sortKey($0))
            }
    }

    static func quoted(_ column: TableColumn) -> String { "\"c_\(column.name.lowercased())\"" }

    static func sortKey(_ column: TableColumn) -> String? {
        switch column.type {
        case .string: "\"k_\(column.name.lowercased())\""
        case .number, .boolean, .date: nil
        }
    }

    private static func stored(_ column: TableColumn) -> [String] {
        [quoted(column)] + (sortKey(column).map { [$0] } ?? [])
    }

    private static func storage(_ type: ColumnType) -> String {
        switch type {
        case .string: "TEXT"
        case .number: "REAL"
        case .boolean, .date: "INTEGER"
        }
    }
}

extension TableValue {
    /// The value as represented in the database.
    public var sqlValue: SQLValue {
        switch self {
        case .null: .null
        case .boolean(let value): .integer(value ? 1 : 0)
        case .number(let value): .real(value)
        case .string(let value): .text(value)
        case .date(let value): .integer(value)
        }
    }
}

extension RowID {
    /// The id as stored in the database.
    public var sqlValue: SQLValue { number.map { .integer($0) } ?? .text(text) }
}

extension TableDeclaration.IDKind {
    fileprivate var sqlType: String {
        switch self {
        case .string: "TEXT"
        case .integer: "INTEGER"
        }
    }

    fileprivate var columnType: ColumnType {
        switch self {
        case .string: .string
        case .integer: .number
        }
    }
}
