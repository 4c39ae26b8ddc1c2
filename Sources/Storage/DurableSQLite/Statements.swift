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

extension Deadline {
    /// The arguments `<name>_wall`, `<name>_boot` and `<name>_boot_id`.
    public func arguments(_ name: String) -> StatementArguments {
        ["\(name)_wall": wall, "\(name)_boot": boot, "\(name)_boot_id": bootID]
    }
}

extension Moment {
    /// The arguments `wall`, `boot` and `boot_id`.
    public var arguments: StatementArguments { ["wall": wall, "boot": boot, "boot_id": bootID] }
}
