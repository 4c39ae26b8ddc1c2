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
        do throws(FileError) {
            try StandardStreams.print(line)
        } catch {
            throw CommandFailure(.failed, "output_failed", "standard output cannot be written: \(error.reason)")
        }
    }

    /// Prints rows in columns as wide as they must be; the last one is wrapped where a terminal is narrower.
    public static func table(_ headings: [String], _ rows: [[String]]) throws(CommandFailure) {
        try exactly(lines(headings, rows, width: width).joined(separator: "\n"))
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
        var widths = headings.map { length(PlainText.line($0)) }
        let cells = rows.map { row in
            zip(row, row.indices).map { cell, column in
                let text = PlainText.line(cell)
                let count = length(text)
                if column < widths.count { widths[column] = max(widths[column], count) }
                return (text: text, count: count)
            }
        }
        let indent = widths.dropLast().reduce(0) { $0 + $1 + 2 }
        let room = width.map { max(leastRoom, $0 - indent) }
        let head = headings.map { heading in
            let text = PlainText.line(heading)
            return (text: text, count: length(text))
        }
        var lines: [String] = []
        lines.reserveCapacity(rows.count + 1)
        for row in [head] + cells {
            var line = ""
            for (cell, width) in zip(row, widths).dropLast() {
                line += cell.text
                line += blanks(width - cell.count + 2)
            }
            let last = row.last?.text ?? ""
            guard let room, last.count > room else {
                line += last
                lines.append(line)
                continue
            }
            for (index, text) in wrapped(last, room).enumerated() {
                lines.append((index == 0 ? line : String(blanks(indent))) + text)
            }
        }
        return lines
    }

    /// So many blanks; few of them need no memory of their own.
    private static func blanks(_ count: Int) -> Substring {
        count <= padding.utf8.count ? padding.prefix(count) : String(repeating: " ", count: count)[...]
    }

    private static let padding = String(repeating: " ", count: 64)

    /// Number of characters; of ASCII, which is nearly all of a long list, as many as bytes.
    private static func length(_ text: String) -> Int {
        text.utf8.allSatisfy { $0 < 0x80 } ? text.utf8.count : text.count
    }

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
