public import GRDB
public import Moments

extension Database {
    /// Runs a statement that is compiled once per connection, and returns the number of changed rows.
    @discardableResult
    public func run(_ sql: String, _ arguments: StatementArguments = [:]) throws -> Int {
        let statement = try cachedStatement(sql: sql)
        try statement.execute(arguments: arguments)
        return changesCount
    }

    /// Runs a statement, which is compiled once per connection, and returns all of its rows.
    public func rows(_ sql: String, _ arguments: StatementArguments = [:]) throws -> [Row] {
        try Row.fetchAll(try cachedStatement(sql: sql), arguments: arguments)
    }

    /// Runs a statement to completion, and returns its first row, or `nil` if there are no rows.
    public func row(_ sql: String, _ arguments: StatementArguments = [:]) throws -> Row? {
        try rows(sql, arguments).first
    }

    /// Runs a statement, and returns the result of `read` for the first row, or `nil` if there are no rows.
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

    /// Inserts a row, with `conflict` as the rest of an `ON CONFLICT` clause, and returns the number of changed rows.
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

    /// Deletes up to `limit` rows whose expiry time in `column` is at most `end`, and returns how many it deleted.
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

    /// Returns the integer result of a statement, or 0 if it has none.
    public func number(_ sql: String, _ arguments: StatementArguments = [:]) throws -> Int64 {
        try Int64.fetchOne(try cachedStatement(sql: sql), arguments: arguments) ?? 0
    }
}

extension Row {
    /// Returns the value of a column that is never NULL.
    public func get<T: DatabaseValueConvertible>(_ column: String) throws -> T {
        try decode(T.self, forColumn: column)
    }

    /// Returns the value of a column, or `nil` if it is NULL.
    public func optional<T: DatabaseValueConvertible>(_ column: String) throws -> T? {
        try decode(T?.self, forColumn: column)
    }

    /// Returns the deadline that is stored in the columns `<name>_wall`, `<name>_boot` and `<name>_boot_id`.
    public func deadline(_ name: String) throws -> Deadline {
        Deadline(wall: try get("\(name)_wall"), boot: try get("\(name)_boot"), bootID: try get("\(name)_boot_id"))
    }
}

/// The values of a row's columns, by name.
public struct ColumnValues: ExpressibleByDictionaryLiteral {
    let columns: [(name: String, value: (any DatabaseValueConvertible)?)]

    /// Creates values by column name.
    public init(dictionaryLiteral columns: (String, (any DatabaseValueConvertible)?)...) {
        self.columns = columns.map { (name: $0, value: $1) }
    }

    private init(_ columns: [(name: String, value: (any DatabaseValueConvertible)?)]) {
        self.columns = columns
    }

    /// Combines two sets of columns.
    public static func + (first: Self, second: Self) -> Self { Self(first.columns + second.columns) }

    /// The arguments for a statement that uses the column names as argument names.
    public var arguments: StatementArguments {
        StatementArguments(Dictionary(columns.map { ($0.name, $0.value) }) { $1 })
    }
}

extension Deadline {
    /// Returns the deadline as values for the columns `<name>_wall`, `<name>_boot` and `<name>_boot_id`.
    public func columns(_ name: String) -> ColumnValues {
        ["\(name)_wall": wall, "\(name)_boot": boot, "\(name)_boot_id": bootID]
    }

    /// Returns the deadline as the arguments `<name>_wall`, `<name>_boot` and `<name>_boot_id`.
    public func arguments(_ name: String) -> StatementArguments {
        ["\(name)_wall": wall, "\(name)_boot": boot, "\(name)_boot_id": bootID]
    }

    /// Returns the assignments for an `UPDATE` statement that stores a deadline passed as ``arguments(_:)``.
    public static func assignments(_ name: String) -> String {
        columnNames(name).map { "\($0) = :\($0)" }.joined(separator: ", ")
    }

    /// Returns the assignments for an upsert's `DO UPDATE` clause, with the deadline of the row to insert.
    public static func excluded(_ name: String) -> String {
        columnNames(name).map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
    }

    private static func columnNames(_ name: String) -> [String] { ["\(name)_wall", "\(name)_boot", "\(name)_boot_id"] }
}

extension Moment {
    /// This moment as the arguments `wall`, `boot` and `boot_id`.
    public var arguments: StatementArguments { ["wall": wall, "boot": boot, "boot_id": bootID] }
}
