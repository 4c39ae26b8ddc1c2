public import Foundation
public import GRDB
public import OAuth

extension Sealing {
    /// Decrypts the value of a column in `row`, which must also contain the table's primary key.
    public func open(_ column: SealedColumn, of row: Row) throws -> Data {
        try open(try row.get(column.column), column, row: try row.get(column.key))
    }

    /// Decrypts a column in `row`, which must also contain the primary key, or returns `nil` if it is NULL.
    public func openIfThere(_ column: SealedColumn, of row: Row) throws -> Data? {
        try row.optional(column.column).map { try open($0, column, row: try row.get(column.key)) }
    }

    /// Decrypts a JSON value in `row`, which must also contain the table's primary key.
    public func decode<T: Decodable>(_ column: SealedColumn, of row: Row) throws -> T {
        try open(T.self, try row.get(column.column), as: column, row: try row.get(column.key))
    }

    /// Decrypts a JSON value in `row` that is read often, as described for ``read(_:_:as:row:)``.
    public func read<T: JSONConvertible>(_ column: SealedColumn, of row: Row) throws -> T {
        try read(T.self, try row.get(column.column), as: column, row: try row.get(column.key))
    }

    /// Decrypts a JSON value in `row`, or returns the value from the cache, as described for ``recall(_:_:as:row:)``.
    public func recall<T: JSONConvertible & Sendable>(_ column: SealedColumn, of row: Row) throws -> T {
        try recall(T.self, try row.get(column.column), as: column, row: try row.get(column.key))
    }
}
