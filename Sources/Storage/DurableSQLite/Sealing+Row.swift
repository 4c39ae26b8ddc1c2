public import Foundation
public import GRDB
public import OAuth

extension Sealing {
    /// Decrypts a column of a row that was read with its key.
    public func open(_ column: SealedColumn, of row: Row) throws -> Data {
        try open(try row.get(column.column), column, row: try row.get(column.key))
    }

    /// Decrypts a column that may be NULL, of a row that was read with its key.
    public func openIfThere(_ column: SealedColumn, of row: Row) throws -> Data? {
        try row.optional(column.column).map { try open($0, column, row: try row.get(column.key)) }
    }

    /// Decrypts a value that was sealed as JSON, of a row that was read with its key; see ``open(_:_:as:row:)``.
    public func decode<T: Decodable>(_ column: SealedColumn, of row: Row) throws -> T {
        try open(T.self, try row.get(column.column), as: column, row: try row.get(column.key))
    }

    /// Decrypts a value of a row that many requests read; see ``read(_:_:as:row:)``.
    public func read<T: JSONConvertible>(_ column: SealedColumn, of row: Row) throws -> T {
        try read(T.self, try row.get(column.column), as: column, row: try row.get(column.key))
    }

    /// Decrypts a value of a row that requests read again and again; see ``recall(_:_:as:row:)``.
    public func recall<T: JSONConvertible & Sendable>(_ column: SealedColumn, of row: Row) throws -> T {
        try recall(T.self, try row.get(column.column), as: column, row: try row.get(column.key))
    }
}
