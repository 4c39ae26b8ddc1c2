import FlowModel
import OAuth

/// Rows of text under headings, laid out for the width of a terminal.
///
/// Words, addresses and times are never broken. If rows are too wide, their last column is wrapped between words or
/// moved to separate lines. If the other columns are also too wide, each row becomes a block with one line per column.
struct TextTable {
    private let head: [Cell]
    private let rows: [[Cell]]
    private let widths: [Int]

    /// Creates a table.
    ///
    /// - Parameters:
    ///   - headings: The headings of the columns.
    ///   - rows: The cells, row by row. Control characters in them are replaced.
    init(_ headings: [String], _ rows: [[String]]) {
        head = headings.map(Cell.init)
        self.rows = rows.map { $0.map(Cell.init) }
        var widths = head.map(\.width)
        for row in self.rows {
            for column in 0..<min(row.count, widths.count) where row[column].width > widths[column] {
                widths[column] = row[column].width
            }
        }
        self.widths = widths
    }

    /// Lays out the table.
    ///
    /// - Parameter width: The maximum number of characters per line, or `nil` for no limit. Without a limit, each row
    ///   is one line.
    /// - Returns: The lines, joined by line feeds.
    func text(width: Int?) -> String {
        let indent = widths.dropLast().reduce(0) { $0 + $1 + Self.gap }
        guard let width, indent + (widths.last ?? 0) > width else { return columns(indent, wrappedAt: nil) }
        guard !rows.isEmpty else { return columns(indent, wrappedAt: nil) }
        let available = width - indent
        if available >= max(Self.leastWrap, longestLastWord) { return columns(indent, wrappedAt: available) }
        return widths.count > 1 && indent - Self.gap <= width ? below(width) : blocks(width)
    }

    /// The number of spaces between two columns.
    private static let gap = 2
    /// The minimum width of a wrapped last column, in characters.
    private static let leastWrap = 16
    /// The indent of a last column that is moved below its row, in characters.
    private static let belowIndent = 4

    private var longestLastWord: Int {
        ([head] + rows).lazy.compactMap { $0.last?.text }.flatMap(Self.words(of:)).map(\.count).max() ?? 0
    }

    private func columns(_ indent: Int, wrappedAt available: Int?) -> String {
        var text = ""
        for (number, row) in ([head] + rows).enumerated() {
            if number > 0 { text += "\n" }
            add(row.dropLast(), to: &text)
            let last = row.last?.text ?? ""
            guard let available, last.count > available else {
                if row.count > 1, !last.isEmpty { text += Self.blanks(Self.gap) }
                text += last
                continue
            }
            for (index, line) in Self.wrapped(last, available).enumerated() {
                text += index > 0 ? "\n" + Self.blanks(indent) : Self.blanks(row.count > 1 ? Self.gap : 0)
                text += line
            }
        }
        return text
    }

    private func below(_ width: Int) -> String {
        var lines: [String] = []
        for row in [head] + rows {
            var line = ""
            add(row.dropLast(), to: &line)
            lines.append(Self.trimmed(line))
            guard let last = row.last?.text, !last.isEmpty else { continue }
            lines += Self.wrapped(last, width - Self.belowIndent).map { Self.blanks(Self.belowIndent) + $0 }
        }
        return lines.joined(separator: "\n")
    }

    private func blocks(_ width: Int) -> String {
        rows.map { Self.pairs(Array(zip(head, $0)), width: width) }.joined(separator: "\n\n")
    }

    /// Lays out names and their values, one pair per line, with the values aligned.
    ///
    /// - Parameters:
    ///   - pairs: The names and values. Control characters in them are replaced. A pair with an empty value is omitted.
    ///   - width: The maximum number of characters per line, or `nil` for no limit.
    /// - Returns: The lines, joined by line feeds.
    static func text(_ pairs: [(name: String, value: String)], width: Int?) -> String {
        Self.pairs(pairs.map { (Cell($0.name), Cell($0.value)) }, width: width)
    }

    private static func pairs(_ pairs: [(Cell, Cell)], width: Int?) -> String {
        let pairs = pairs.map { ($0.trimmed, $1.trimmed) }.filter { !$1.text.isEmpty }
        let column = (pairs.map(\.0.width).max() ?? 0) + gap
        return pairs.flatMap { name, value in
            wrapped(value.text, width.map { max(leastWrap, $0 - column) }).enumerated().map { index, line in
                (index == 0 ? name.text + blanks(column - name.width) : blanks(column)) + line
            }
        }.joined(separator: "\n")
    }

    /// Appends cells, each padded with spaces to the width of its column.
    private func add(_ cells: ArraySlice<Cell>, to text: inout String) {
        for (column, cell) in cells.enumerated() {
            if column > 0 { text += Self.blanks(Self.gap) }
            text += cell.text
            text += Self.blanks(widths[column] - cell.width)
        }
    }

    private static func trimmed(_ line: String) -> String {
        String(line.reversed().drop { $0 == " " }.reversed())
    }

    /// A cell as it is printed, and its width in characters.
    private struct Cell {
        let text: String
        let width: Int

        init(_ cell: String) {
            // A long list has thousands of cells, and nearly all are plain.
            let isPlain = PlainText.isPlain(cell)
            text = isPlain ? cell : PlainText.line(cell)
            width = isPlain ? cell.utf8.count : text.count
        }

        /// The cell without blanks at its ends.
        var trimmed: Cell { Cell(text.trimmingPrefix(while: { $0 == " " }).description) }
    }

    /// Splits text at its blanks, but not between the date and the time of `TimeText.utc`.
    private static func words(of text: String) -> [String] {
        text.split(separator: " ").reduce(into: [String]()) { words, word in
            let isTime = word.wholeMatch(of: /[\d:]+Z/) != nil
            if isTime, let last = words.last, last.wholeMatch(of: /\d{4}-\d\d-\d\d/) != nil {
                words[words.count - 1] += " " + word
            } else {
                words.append(String(word))
            }
        }
    }

    /// Breaks lines of text between words, so each line has at most `width` characters.
    static func paragraphs(_ text: String, width: Int?) -> String {
        guard let width else { return text }
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            guard line.count > width else { return String(line) }
            let indent = String(line.prefix { $0 == " " })
            return wrapped(String(line.dropFirst(indent.count)), width - indent.count)
                .map { indent + $0 }.joined(separator: "\n")
        }.joined(separator: "\n")
    }

    private static func blanks(_ count: Int) -> String {
        count < 1 ? "" : count < padding.count ? padding[count] : String(repeating: " ", count: count)
    }

    private static let padding = (0...64).map { String(repeating: " ", count: $0) }

    /// Breaks text between words.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - available: The maximum number of characters per line, or `nil` for a single line.
    /// - Returns: The lines. A word that is longer than a line is not broken.
    static func wrapped(_ text: String, _ available: Int?) -> [String] {
        guard let available, text.count > available else { return [text] }
        var lines: [String] = []
        for word in words(of: text) {
            if let last = lines.last, last.count + 1 + word.count <= available {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}
