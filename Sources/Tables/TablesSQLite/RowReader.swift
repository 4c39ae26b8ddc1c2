import GRDB
import GRDBSQLite
public import Tables

/// Reads the rows of a running statement that begins with the columns of ``TableSQL/select``.
public struct RowReader: Sendable {
    private let definition: TableDeclaration

    /// Creates a reader for rows of a table.
    public init(_ definition: TableDeclaration) {
        self.definition = definition
    }

    /// Returns the statement's current row.
    ///
    /// - Throws: `DatabaseError` with the code `SQLITE_CORRUPT` if the row's id is invalid.
    public func row(_ statement: OpaquePointer) throws -> TableRow {
        var values: [String: TableValue] = [:]
        values.reserveCapacity(definition.columns.count)
        for (number, column) in definition.columns.enumerated() {
            values[column.name] = Self.value(column.type, at: Int32(number + TableSQL.systemColumns), of: statement)
        }
        return TableRow(
            id: try id(statement),
            values: values,
            createdAt: sqlite3_column_int64(statement, 1),
            updatedAt: sqlite3_column_int64(statement, 2),
            isDeleted: sqlite3_column_int64(statement, 3) != 0
        )
    }

    private func id(_ statement: OpaquePointer) throws -> RowID {
        switch definition.idKind {
        case .integer: return RowID(number: sqlite3_column_int64(statement, 0))
        case .string:
            guard let id = RowID(Self.text(at: 0, of: statement)) else {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a stored id is damaged")
            }
            return id
        }
    }

    private static func value(_ type: ColumnType, at index: Int32, of statement: OpaquePointer) -> TableValue {
        guard sqlite3_column_type(statement, index) != SQLITE_NULL else { return .null }
        switch type {
        case .boolean: return .boolean(sqlite3_column_int64(statement, index) != 0)
        case .number: return .number(sqlite3_column_double(statement, index))
        case .string: return .string(text(at: index, of: statement))
        case .date: return .date(sqlite3_column_int64(statement, index))
        }
    }

    /// Returns the string in a column of the statement's current row, or an empty string for null.
    public static func text(at index: Int32, of statement: OpaquePointer) -> String {
        let start = sqlite3_column_text(statement, index)
        let count = Int(sqlite3_column_bytes(statement, index))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }
}
