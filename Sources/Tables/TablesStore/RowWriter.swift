// This code copies bytes from SQLite's memory without intermediate objects, because lists spend most time here.
import GRDB
import GRDBSQLite
import Tables
import TablesSQLite

/// Writes the rows of a statement that begins with the columns of `TableSQL.select` as JSON objects.
struct RowWriter {
    let format: RowFormat

    func append(_ statement: OpaquePointer, to json: inout JSONOutput) {
        let start = json.count
        for part in format.parts {
            format.appendPrefix(part, to: &json)
            switch part.source {
            case .id:
                if sqlite3_column_type(statement, 0) == SQLITE_INTEGER {
                    json.append(number: sqlite3_column_int64(statement, 0))
                } else {
                    Self.append(textAt: 0, of: statement, to: &json)
                }
            case .createdAt: json.append(date: sqlite3_column_int64(statement, 1))
            case .updatedAt: json.append(date: sqlite3_column_int64(statement, 2))
            case .version: json.append(version: sqlite3_column_int64(statement, 2))
            case .deleted: json.append(truth: sqlite3_column_int64(statement, 3) != 0)
            case .column(let number, let type):
                Self.append(type, at: Int32(number + TableSQL.systemColumns), of: statement, to: &json)
            }
        }
        RowFormat.close(&json, from: start)
    }

    private static func append(
        _ type: ColumnType,
        at index: Int32,
        of statement: OpaquePointer,
        to json: inout JSONOutput
    ) {
        guard sqlite3_column_type(statement, index) != SQLITE_NULL else {
            json.append("null")
            return
        }
        switch type {
        case .string: append(textAt: index, of: statement, to: &json)
        case .number: json.append(number: sqlite3_column_double(statement, index))
        case .boolean: json.append(truth: sqlite3_column_int64(statement, index) != 0)
        case .date: json.append(date: sqlite3_column_int64(statement, index))
        }
    }

    private static func append(textAt index: Int32, of statement: OpaquePointer, to json: inout JSONOutput) {
        let text = sqlite3_column_text(statement, index)
        let count = Int(sqlite3_column_bytes(statement, index))
        json.append(text: UnsafeBufferPointer(start: text, count: count))
    }
}
