import Files
public import FlowModel
import Glibc
public import OAuth

/// Prints a command's output on standard output.
///
/// If writing fails, the command fails.
public enum Output {
    /// Whether standard output is a terminal.
    public static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Prints a JSON value on one line.
    ///
    /// Control characters and bidirectional marks are escaped.
    public static func json(_ value: JSONValue) throws(CommandFailure) {
        try exactly(PlainText.json(value))
    }

    /// Prints a line for users.
    public static func line(_ text: String) throws(CommandFailure) {
        try exactly(PlainText.line(text))
    }

    /// Prints a sentence in the user's language, broken between words on a terminal.
    public static func line(_ text: Text) throws(CommandFailure) {
        try exactly(TextTable.paragraphs(PlainText.line(text.text), width: width(of: STDOUT_FILENO)))
    }

    /// Prints a result, as JSON for programs or as a sentence for users.
    public static func answer(_ value: JSONValue, _ text: Text, asJSON: Bool) throws(CommandFailure) {
        try asJSON ? json(value) : line(text)
    }

    /// Prints a line unchanged, such as a token.
    public static func exactly(_ line: String) throws(CommandFailure) {
        do throws(FileError) {
            try StandardStreams.print(line)
        } catch {
            if error.isClosedPipe { StandardStreams.endByClosedPipe() }
            throw CommandFailure(.failed, "output_failed", Text("failure.output", ["reason": error.reason]))
        }
    }

    /// Prints text for other programs unchanged.
    ///
    /// On a terminal, control characters and bidirectional marks are replaced.
    public static func document(_ text: String) throws(CommandFailure) {
        try exactly(isTerminal ? PlainText.document(text) : text)
    }

    /// Prints rows under headings, laid out for the width of the terminal.
    ///
    /// - Parameters:
    ///   - headings: The headings of the columns.
    ///   - rows: The cells, row by row.
    ///   - empty: The sentence to print on stderr if there are no rows, or `nil` to print only the headings.
    /// - Throws: `CommandFailure` if stdout cannot be written.
    public static func table(
        _ headings: [String],
        _ rows: [[String]],
        empty: Text? = nil
    ) throws(CommandFailure) {
        if rows.isEmpty, let empty { return Program.complain(empty.text) }
        try exactly(TextTable(headings, rows).text(width: width(of: STDOUT_FILENO)))
    }

    /// Prints names and their values, one pair per line.
    ///
    /// A pair with an empty value is omitted.
    public static func facts(_ pairs: [(name: Text, value: String)]) throws(CommandFailure) {
        let pairs = pairs.map { (name: $0.name.text + ":", value: $0.value) }
        try exactly(TextTable.text(pairs, width: width(of: STDOUT_FILENO)))
    }

    /// Returns the number of columns if a descriptor is a terminal, or `nil` otherwise.
    static func width(of descriptor: Int32) -> Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Lays out rows in columns.
    ///
    /// - Parameters:
    ///   - headings: The headings of the columns.
    ///   - rows: The cells, row by row.
    ///   - width: The maximum number of characters per line, or `nil` for no limit.
    /// - Returns: The lines.
    public static func lines(_ headings: [String], _ rows: [[String]], width: Int? = nil) -> [String] {
        TextTable(headings, rows).text(width: width).split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
    }
}
