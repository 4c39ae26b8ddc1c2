public import Foundation
public import GRDB
public import OAuth

extension Sealing {
    /// Decrypts a column of a row that also contains the table's primary key.
    public func open(_ column: SealedColumn, of row: Row) throws -> Data {
        try open(try row.get(column.column), column, row: try row.get(column.key))
    }

    /// Decrypts a column of a row that also contains the table's primary key, or returns `nil` if the column is NULL.
    public func openIfThere(_ column: SealedColumn, of row: Row) throws -> Data? {
        try row.optional(column.column).map { try open($0, column, row: try row.get(column.key)) }
    }

    /// Decrypts a JSON value of a row that also contains the table's primary key; see ``open(_:_:as:row:)``.
    public func decode<T: Decodable>(_ column: SealedColumn, of row: Row) throws -> T {
        try open(T.self, try row.get(column.column), as: column, row: try row.get(column.key))
    }

    /// Decrypts a value that is read often; see ``read(_:_:as:row:)``.
    public func read<T: JSONConvertible>(_ column: SealedColumn, of row: Row) throws -> T {
        try read(T.self, try row.get(column.column), as: column, row: try row.get(column.key))
    }

    /// Decrypts a value, or returns it from the cache; see ``recall(_:_:as:row:)``.
    public func recall<T: JSONConvertible & Sendable>(_ column: SealedColumn, of row: Row) throws -> T {
        try recall(T.self, try row.get(column.column), as: column, row: try row.get(column.key))
    }
}
