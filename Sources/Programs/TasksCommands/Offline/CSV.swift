import FlowModel
import Terminal

/// Comma-separated values (RFC 4180), in which `nil` is an empty cell and `""` an empty string.
enum CSV {
    static func text(_ rows: [[String?]]) -> String {
        rows.map { $0.map(quoted).joined(separator: ",") }.joined(separator: "\n")
    }

    /// Parses CSV, or throws an error if a quotation mark is not closed or is inside an unquoted cell.
    static func rows(_ text: String) throws(CommandFailure) -> [[String?]] {
        var rows: [[String?]] = []
        var row: [String?] = []
        var cell = String.UnicodeScalarView()
        var isQuoted = false
        var wasQuoted = false
        func end() {
            row.append(cell.isEmpty && !wasQuoted ? nil : String(cell))
            cell = String.UnicodeScalarView()
            wasQuoted = false
        }
        var scalars = text.unicodeScalars[...]
        while let scalar = scalars.popFirst() {
            switch scalar {
            case "\"" where isQuoted && scalars.first == "\"": cell.append(scalars.removeFirst())
            case "\"" where isQuoted: isQuoted = false
            case _ where isQuoted: cell.append(scalar)
            case "\"" where cell.isEmpty && !wasQuoted: (isQuoted, wasQuoted) = (true, true)
            case "\"":
                throw TaskFormat.unreadable(
                    Text("cli.tasks.innerQuote", ["place": Text("cli.tasks.row", ["number": rows.count + 1])])
                )
            case ",": end()
            case "\r" where scalars.first == "\n": break
            case "\n":
                end()
                rows.append(row)
                row = []
            default: cell.append(scalar)
            }
        }
        guard !isQuoted else {
            throw TaskFormat.unreadable(
                Text("cli.tasks.openQuote", ["place": Text("cli.tasks.row", ["number": rows.count + 1])])
            )
        }
        if !cell.isEmpty || !row.isEmpty || wasQuoted {
            end()
            rows.append(row)
        }
        return rows.filter { $0 != [nil] }
    }

    /// Returns the separator of a file whose first line has the name of a column, but not between commas.
    ///
    /// In files for Excel, the first line can be `sep=` and the separator.
    static func otherSeparator(_ text: String, column: String) -> Text? {
        let heading = text.prefix { !$0.isNewline }.lowercased().replacing("\"", with: "")
        func hasColumn(_ separator: Character) -> Bool {
            heading == "sep=\(separator)" || heading.split(separator: separator).contains { $0 == column }
        }
        if hasColumn(",") { return nil }
        return hasColumn(";") ? Text("cli.tasks.semicolons") : hasColumn("\t") ? Text("cli.tasks.tabs") : nil
    }

    private static func quoted(_ cell: String?) -> String {
        guard let cell else { return "" }
        let needsQuotes =
            cell.isEmpty
            || cell.unicodeScalars.contains { scalar in
                switch scalar {
                case ",", "\"", "\n", "\r": true
                default: false
                }
            }
        guard needsQuotes else { return cell }
        var text = String.UnicodeScalarView("\"".unicodeScalars)
        for scalar in cell.unicodeScalars {
            text.append(scalar)
            if scalar == "\"" { text.append(scalar) }
        }
        text.append("\"")
        return String(text)
    }
}
