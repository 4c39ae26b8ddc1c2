public import GRDB
public import Moments

extension Database {
    /// Runs a statement that is compiled once for each connection.
    ///
    /// - Parameters:
    ///   - sql: The text, with named arguments.
    ///   - arguments: The arguments.
    /// - Returns: The number of rows that it changed.
    /// - Throws: The error of SQLite.
    @discardableResult
    public func run(_ sql: String, _ arguments: StatementArguments = [:]) throws -> Int {
        let statement = try cachedStatement(sql: sql)
        try statement.execute(arguments: arguments)
        return changesCount
    }

    /// All rows of a statement that is compiled once for each connection.
    public func rows(_ sql: String, _ arguments: StatementArguments = [:]) throws -> [Row] {
        try Row.fetchAll(try cachedStatement(sql: sql), arguments: arguments)
    }

    /// The first row of a statement that is compiled once for each connection.
    ///
    /// The statement is stepped to its end, so that `RETURNING` has changed all it was to change.
    public func row(_ sql: String, _ arguments: StatementArguments = [:]) throws -> Row? {
        try rows(sql, arguments).first
    }

    /// The first row of such a statement, read where it is, without a copy of its columns.
    public func row<T>(
        _ sql: String,
        _ arguments: StatementArguments = [:],
        as read: (Row) throws -> T
    ) throws -> T? {
        let rows = try Row.fetchCursor(try cachedStatement(sql: sql), arguments: arguments)
        var first: T?
        while let row = try rows.next() {
            if first == nil { first = try read(row) }
        }
        return first
    }

    /// Inserts a row.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - values: The values of its columns.
    ///   - replaces: Whether it takes the place of rows with the same keys.
    ///   - conflict: The rest of an `ON CONFLICT` clause; nil if a conflict is an error.
    /// - Returns: The number of rows that were inserted or changed.
    /// - Throws: The error of SQLite.
    @discardableResult
    public func insert(
        into table: String,
        _ values: ColumnValues,
        replacing replaces: Bool = false,
        onConflict conflict: String? = nil
    ) throws -> Int {
        let names = values.columns.map(\.name)
        let clause = conflict.map { " ON CONFLICT \($0)" } ?? ""
        return try run(
            """
            INSERT \(replaces ? "OR REPLACE " : "")INTO \(table) (\(names.joined(separator: ", ")))
            VALUES (\(names.map { ":\($0)" }.joined(separator: ", ")))\(clause)
            """,
            values.arguments
        )
    }

    /// Deletes rows whose time has ended.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - key: The column that its rows are found by.
    ///   - column: The column with the end of a row.
    ///   - end: The greatest value of a row that goes.
    ///   - limit: The greatest number of rows.
    /// - Returns: The number of rows that were deleted.
    /// - Throws: The error of SQLite.
    public func sweep(
        _ table: String,
        by key: String = "id",
        _ column: String,
        upTo end: Int64,
        limit: Int
    ) throws -> Int {
        try run(
            "DELETE FROM \(table) WHERE \(key) IN (SELECT \(key) FROM \(table) WHERE \(column) <= :end LIMIT :limit)",
            ["end": end, "limit": limit]
        )
    }

    /// The whole number a statement answers; 0 for none.
    public func number(_ sql: String, _ arguments: StatementArguments = [:]) throws -> Int64 {
        try Int64.fetchOne(try cachedStatement(sql: sql), arguments: arguments) ?? 0
    }
}

extension Row {
    /// A column that is never NULL.
    public func get<T: DatabaseValueConvertible>(_ column: String) throws -> T {
        try decode(T.self, forColumn: column)
    }

    /// A column that may be NULL.
    public func optional<T: DatabaseValueConvertible>(_ column: String) throws -> T? {
        try decode(T?.self, forColumn: column)
    }

    /// A deadline, kept as the three columns `<name>_wall`, `<name>_boot` and `<name>_boot_id`.
    public func deadline(_ name: String) throws -> Deadline {
        Deadline(wall: try get("\(name)_wall"), boot: try get("\(name)_boot"), bootID: try get("\(name)_boot_id"))
    }
}

/// The values of a row's columns, by name.
public struct ColumnValues: ExpressibleByDictionaryLiteral {
    let columns: [(name: String, value: (any DatabaseValueConvertible)?)]

    /// Values by the names of their columns.
    public init(dictionaryLiteral columns: (String, (any DatabaseValueConvertible)?)...) {
        self.columns = columns.map { (name: $0, value: $1) }
    }

    private init(_ columns: [(name: String, value: (any DatabaseValueConvertible)?)]) {
        self.columns = columns
    }

    /// The values of two sets of columns.
    public static func + (first: Self, second: Self) -> Self { Self(first.columns + second.columns) }

    /// The arguments of a statement that names each value as its column.
    public var arguments: StatementArguments {
        StatementArguments(Dictionary(columns.map { ($0.name, $0.value) }) { $1 })
    }
}

extension Deadline {
    /// The columns `<name>_wall`, `<name>_boot` and `<name>_boot_id`.
    public func columns(_ name: String) -> ColumnValues {
        ["\(name)_wall": wall, "\(name)_boot": boot, "\(name)_boot_id": bootID]
    }

    /// The arguments `<name>_wall`, `<name>_boot` and `<name>_boot_id`.
    public func arguments(_ name: String) -> StatementArguments {
        ["\(name)_wall": wall, "\(name)_boot": boot, "\(name)_boot_id": bootID]
    }

    /// The assignments of an `UPDATE` that writes ``arguments(_:)``.
    public static func assignments(_ name: String) -> String {
        columnNames(name).map { "\($0) = :\($0)" }.joined(separator: ", ")
    }

    /// The assignments of an upsert that takes the columns of the refused row.
    public static func excluded(_ name: String) -> String {
        columnNames(name).map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
    }

    private static func columnNames(_ name: String) -> [String] { ["\(name)_wall", "\(name)_boot", "\(name)_boot_id"] }
}

extension Moment {
    /// The arguments `wall`, `boot` and `boot_id`.
    public var arguments: StatementArguments { ["wall": wall, "boot": boot, "boot_id": bootID] }
}
