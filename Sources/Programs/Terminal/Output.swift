import Files
public import FlowModel
import Glibc
public import OAuth

/// Prints a command's output on standard output, and throws if writing fails.
public enum Output {
    /// Whether standard output is a terminal.
    public static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Prints a JSON value on one line, with control characters and bidirectional marks escaped.
    public static func json(_ value: JSONValue) throws(CommandFailure) {
        try exactly(PlainText.json(value))
    }

    /// Prints text for users as one line, with line breaks and control characters replaced.
    public static func line(_ text: String) throws(CommandFailure) {
        try exactly(PlainText.line(text))
    }

    /// Prints a sentence in the user's language, wrapped to the terminal's width.
    public static func line(_ text: Text) throws(CommandFailure) {
        try exactly(TextTable.paragraphs(PlainText.line(text.text), width: width(of: STDOUT_FILENO)))
    }

    /// Prints the result `value` as JSON if `asJSON` is `true`, and the sentence `text` for users otherwise.
    public static func answer(_ value: JSONValue, _ text: Text, asJSON: Bool) throws(CommandFailure) {
        try asJSON ? json(value) : line(text)
    }

    /// Prints a line, such as a token, without changing it.
    public static func exactly(_ line: String) throws(CommandFailure) {
        try exactly(Array("\(line)\n".utf8))
    }

    /// Writes bytes, such as a part of a response, without changing them.
    public static func exactly(_ bytes: [UInt8]) throws(CommandFailure) {
        do throws(FileError) {
            try StandardStreams.print(bytes)
        } catch {
            throw CommandFailure(.failed, "output_failed", Text("failure.output", ["reason": error.reason]))
        }
    }

    /// Prints text for other programs, with control characters and bidirectional marks replaced on a terminal.
    public static func document(_ text: String) throws(CommandFailure) {
        try exactly(isTerminal ? PlainText.document(text) : text)
    }

    /// Prints a table.
    ///
    /// If there are no rows, prints `empty` on standard error or, if `empty` is `nil`, only the headings.
    public static func table(
        _ headings: [String],
        _ rows: [[String]],
        empty: Text? = nil
    ) throws(CommandFailure) {
        if rows.isEmpty, let empty { return Program.complain(empty.text) }
        try exactly(TextTable(headings, rows).text(width: width(of: STDOUT_FILENO)))
    }

    /// Prints names and their values, one pair per line, without pairs that have an empty value.
    public static func facts(_ pairs: [(name: Text, value: String)]) throws(CommandFailure) {
        let pairs = pairs.map { (name: $0.name.text + ":", value: $0.value) }
        try exactly(TextTable.text(pairs, width: width(of: STDOUT_FILENO)))
    }

    /// Returns a terminal's width in columns, or `nil` if `descriptor` is not a terminal or the width is unknown.
    static func width(of descriptor: Int32) -> Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Lays out rows in columns under headings, with at most `width` characters per line.
    public static func lines(_ headings: [String], _ rows: [[String]], width: Int? = nil) -> [String] {
        TextTable(headings, rows).text(width: width).split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
    }
}
