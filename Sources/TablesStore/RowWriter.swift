// Hand-written: a list of 50 rows spends most of its time here, and this writes each cell's bytes from SQLite's own
// memory into the answer, without a dictionary, a text or a number object in between.
import GRDB
import GRDBSQLite
import Tables

/// Writes the rows of a running statement as JSON objects.
///
/// The statement's first columns are those of ``TableSQL/list``: id, createdAt, updatedAt, deleted, then the table's.
struct RowWriter {
    /// How many columns stand before the table's own.
    static let systemColumns = 4

    let format: RowFormat

    /// Appends the statement's current row.
    func append(_ statement: OpaquePointer, to bytes: inout [UInt8]) {
        let start = bytes.count
        for member in format.members {
            bytes.append(contentsOf: member.prefix)
            switch member.source {
            case .id:
                if sqlite3_column_type(statement, 0) == SQLITE_INTEGER {
                    JSONBytes.append(sqlite3_column_int64(statement, 0), to: &bytes)
                } else {
                    Self.append(textAt: 0, of: statement, to: &bytes)
                }
            case .createdAt: JSONBytes.append(date: sqlite3_column_int64(statement, 1), to: &bytes)
            case .updatedAt: JSONBytes.append(date: sqlite3_column_int64(statement, 2), to: &bytes)
            case .version: JSONBytes.append(version: sqlite3_column_int64(statement, 2), to: &bytes)
            case .deleted: JSONBytes.append(sqlite3_column_int64(statement, 3) != 0, to: &bytes)
            case .column(let number, let type):
                Self.append(type, at: Int32(number + Self.systemColumns), of: statement, to: &bytes)
            }
        }
        RowFormat.close(&bytes, from: start)
    }

    private static func append(
        _ type: ColumnType,
        at index: Int32,
        of statement: OpaquePointer,
        to bytes: inout [UInt8]
    ) {
        guard sqlite3_column_type(statement, index) != SQLITE_NULL else {
            bytes.append(contentsOf: "null".utf8)
            return
        }
        switch type {
        case .string: append(textAt: index, of: statement, to: &bytes)
        case .number: JSONBytes.append(sqlite3_column_double(statement, index), to: &bytes)
        case .boolean: JSONBytes.append(sqlite3_column_int64(statement, index) != 0, to: &bytes)
        case .date: JSONBytes.append(date: sqlite3_column_int64(statement, index), to: &bytes)
        }
    }

    private static func append(textAt index: Int32, of statement: OpaquePointer, to bytes: inout [UInt8]) {
        let text = sqlite3_column_text(statement, index)
        let count = Int(sqlite3_column_bytes(statement, index))
        JSONBytes.append(text: UnsafeBufferPointer(start: text, count: count), to: &bytes)
    }
}
