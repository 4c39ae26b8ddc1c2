import Files
import Glibc
public import OAuth

/// The data that a command prints on stdout; what cannot be written there fails the command.
public enum Output {
    /// Prints one JSON value on a line; what could deceive on a terminal is escaped.
    public static func json(_ value: JSONValue) throws(CommandFailure) {
        try exactly(PlainText.json(value))
    }

    /// Prints a line for people.
    public static func line(_ text: String) throws(CommandFailure) {
        try exactly(PlainText.line(text))
    }

    /// Prints a line as it is, such as a token.
    public static func exactly(_ line: String) throws(CommandFailure) {
        let code = StandardStreams.write(Array("\(line)\n".utf8), to: STDOUT_FILENO)
        guard code == 0 else {
            let reason = String(cString: strerror(code))
            throw CommandFailure(.failed, "output_failed", "standard output cannot be written: \(reason)")
        }
    }

    /// Prints rows in columns as wide as they must be; the last one as long as it is.
    public static func table(_ headings: [String], _ rows: [[String]]) throws(CommandFailure) {
        try exactly(lines(headings, rows).joined(separator: "\n"))
    }

    static func lines(_ headings: [String], _ rows: [[String]]) -> [String] {
        let cells = [headings] + rows.map { $0.map(PlainText.line) }
        let widths = headings.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
        return cells.map { row in
            zip(row, widths).enumerated().map { index, cell in
                index == row.count - 1 ? cell.0 : cell.0 + String(repeating: " ", count: cell.1 - cell.0.count)
            }.joined(separator: "  ")
        }
    }
}
