public import OAuth

/// What a command prints on stdout.
public enum Output {
    /// One JSON value, on one line.
    public static func json(_ value: JSONValue) {
        print(value.text)
    }

    /// A line for people.
    public static func line(_ text: String) {
        print(PlainText.line(text))
    }

    /// Rows in columns as wide as they must be; the last one as long as it is.
    public static func table(_ headings: [String], _ rows: [[String]]) {
        for line in lines(headings, rows) { print(line) }
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
