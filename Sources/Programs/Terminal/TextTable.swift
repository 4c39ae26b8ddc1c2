import FlowModel
import OAuth

/// Rows of text under headings, laid out for a terminal's width without breaking words, addresses or times.
///
/// If rows are too wide, the last column is wrapped or moved below, or each row becomes a block of lines.
struct TextTable {
    private let head: [Cell]
    private let rows: [[Cell]]
    private let widths: [Int]

    /// Creates a table, replacing control characters in the cells.
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

    /// Returns the table with at most `width` characters per line, or with one line per row if `width` is `nil`.
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
    /// The indent, in characters, of lines that contain only the text of the last column.
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

    /// Lays out names and their values, one pair per line with aligned values, without pairs that have an empty value.
    ///
    /// If `width` is `nil`, values are not wrapped.
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

    /// The text of a cell as it is printed, and the width of this text in characters.
    private struct Cell {
        let text: String
        let width: Int

        init(_ cell: String) {
            // Most cells are plain text and need no conversion. This saves time in lists with thousands of cells.
            let isPlain = PlainText.isPlain(cell)
            text = isPlain ? cell : PlainText.line(cell)
            width = isPlain ? cell.utf8.count : text.count
        }

        var trimmed: Cell { Cell(text.trimmingPrefix(while: { $0 == " " }).description) }
    }

    /// Splits text at spaces, but keeps the date and the time from `TimeText.utc` together.
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

    /// Wraps lines at `width` and indents continuations, so that server text cannot look like a separate message.
    static func paragraphs(_ text: String, width: Int?) -> String {
        guard let width else { return text }
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            guard line.count > width else { return String(line) }
            let indent = String(line.prefix { $0 == " " })
            let room = width - indent.count
            let lines = wrapped(String(line.dropFirst(indent.count)), room)
            let rest = wrapped(lines.dropFirst().joined(separator: " "), room - 2).filter { !$0.isEmpty }
            return indent + (lines.prefix(1) + rest).joined(separator: "\n  " + indent)
        }.joined(separator: "\n")
    }

    private static func blanks(_ count: Int) -> String {
        count < 1 ? "" : count < padding.count ? padding[count] : String(repeating: " ", count: count)
    }

    private static let padding = (0...64).map { String(repeating: " ", count: $0) }

    /// Wraps text between words to lines of at most `available` characters, without breaking longer words.
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
