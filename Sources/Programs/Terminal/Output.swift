import Files
public import FlowModel
import Glibc
public import OAuth

/// The data that a command prints on stdout; what cannot be written there fails the command.
public enum Output {
    /// Whether stdout is a terminal.
    public static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Prints one JSON value on a line; what could deceive on a terminal is escaped.
    public static func json(_ value: JSONValue) throws(CommandFailure) {
        try exactly(PlainText.json(value))
    }

    /// Prints a line for people.
    public static func line(_ text: String) throws(CommandFailure) {
        try exactly(PlainText.line(text))
    }

    /// Prints a sentence in the person's language.
    public static func line(_ text: Text) throws(CommandFailure) { try line(text.text) }

    /// Prints an answer: JSON for programs, a sentence for people.
    public static func answer(_ value: JSONValue, _ text: Text, asJSON: Bool) throws(CommandFailure) {
        try asJSON ? json(value) : line(text)
    }

    /// Prints a line as it is, such as a token.
    public static func exactly(_ line: String) throws(CommandFailure) {
        do throws(FileError) {
            try StandardStreams.print(line)
        } catch {
            throw CommandFailure(.failed, "output_failed", Text("failure.output", ["reason": error.reason]))
        }
    }

    /// Prints a text that other programs read, as it is; on a terminal what could deceive is replaced.
    public static func document(_ text: String) throws(CommandFailure) {
        try exactly(isTerminal ? PlainText.document(text) : text)
    }

    /// Prints rows in columns as wide as they must be; the last one is wrapped where a terminal is narrower.
    public static func table(_ headings: [String], _ rows: [[String]]) throws(CommandFailure) {
        try exactly(text(headings, rows, width: width))
    }

    /// The columns of the terminal that is stdout; nil where it is none.
    private static var width: Int? { width(of: STDOUT_FILENO) }

    /// The columns of the terminal that is this descriptor; nil where it is none.
    static func width(of descriptor: Int32) -> Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Lays rows out in columns as wide as they must be.
    ///
    /// - Parameters:
    ///   - headings: The first line.
    ///   - rows: The cells below it.
    ///   - width: Characters of a line, into which the last column is wrapped; nil for any number.
    /// - Returns: The lines.
    public static func lines(_ headings: [String], _ rows: [[String]], width: Int? = nil) -> [String] {
        text(headings, rows, width: width).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// The lines as one text; a long list has thousands, which need no memory of their own.
    private static func text(_ headings: [String], _ rows: [[String]], width: Int?) -> String {
        let head = headings.map(Cell.init)
        let cells = rows.map { $0.map(Cell.init) }
        var widths = head.map(\.width)
        for row in cells {
            for column in 0..<min(row.count, widths.count) where row[column].width > widths[column] {
                widths[column] = row[column].width
            }
        }
        let indent = widths.dropLast().reduce(0) { $0 + $1 + 2 }
        let room = width.map { max(leastRoom, $0 - indent) }
        var text = ""
        add(head, to: &text, widths, indent, room)
        for row in cells {
            text += "\n"
            add(row, to: &text, widths, indent, room)
        }
        return text
    }

    /// Adds the line of a row, and those into which its last cell is wrapped.
    private static func add(_ row: [Cell], to text: inout String, _ widths: [Int], _ indent: Int, _ room: Int?) {
        for column in 0..<max(min(row.count, widths.count) - 1, 0) {
            text += row[column].text
            text += blanks(widths[column] - row[column].width + 2)
        }
        let last = row.last?.text ?? ""
        guard let room, last.count > room else {
            text += last
            return
        }
        for (index, line) in wrapped(last, room).enumerated() {
            if index > 0 { text += "\n" + blanks(indent) }
            text += line
        }
    }

    /// A cell as it is printed, and its characters.
    private struct Cell {
        let text: String
        let width: Int

        init(_ cell: String) {
            // Nearly every cell is plain, and a long list has thousands.
            let isPlain = PlainText.isPlain(cell)
            text = isPlain ? cell : PlainText.line(cell)
            width = isPlain ? cell.utf8.count : text.count
        }
    }

    /// So many blanks; those between two columns need no memory of their own.
    private static func blanks(_ count: Int) -> String {
        count < padding.count ? padding[count] : String(repeating: " ", count: count)
    }

    private static let padding = (0...64).map { String(repeating: " ", count: $0) }

    /// The fewest characters of a line into which a last column is wrapped.
    private static let leastRoom = 16

    /// A text in lines of at most `room` characters, broken between words where that can be.
    static func wrapped(_ text: String, _ room: Int?) -> [String] {
        guard let room, text.count > room else { return [text] }
        var lines: [String] = []
        var rest = text[...]
        while rest.count > room {
            let piece = rest.prefix(room + 1)
            let space = piece.lastIndex(of: " ").flatMap { $0 > rest.startIndex ? $0 : nil }
            let end = space ?? rest.index(rest.startIndex, offsetBy: room)
            lines.append(String(rest[..<end]))
            rest = rest[end...].drop { $0 == " " }
        }
        return rest.isEmpty ? lines : lines + [String(rest)]
    }
}
