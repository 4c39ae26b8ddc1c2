import Glibc
public import Logging
import Synchronization

/// The log of a daemon, which by default is written to standard error.
///
/// Each event is one line of at most ``maximumLine`` bytes. A shortened line in JSON has the member `truncated`.
public final class ServiceLog: Sendable {
    /// The format of a line.
    public enum Format: String, Sendable, CaseIterable {
        /// A line with the journal's priority prefix and without a time (`sd-daemon(3)`).
        ///
        /// If the log is not written to the journal, the format is the same as ``text``.
        case journal
        case text
        case json
    }

    /// The maximum length of a line in bytes, including its line break.
    public static let maximumLine = 8192

    private let state: Mutex<(format: Format, level: Logger.Level)>
    private let isJournal: Bool
    private let write: @Sendable (String) -> Void

    /// Creates a log that passes each line of at least the given level, including its line break, to `write`.
    public init(
        format: Format,
        level: Logger.Level,
        isJournal: Bool,
        write: @escaping @Sendable (String) -> Void = ServiceLog.standardError
    ) {
        state = Mutex((format, level))
        self.isJournal = isJournal
        self.write = write
    }

    /// Whether standard error is the journal stream that `JOURNAL_STREAM` identifies (`systemd.exec(5)`).
    public static var isErrorJournal: Bool {
        var status = stat()
        guard let stream = getenv("JOURNAL_STREAM"), fstat(STDERR_FILENO, &status) == 0 else { return false }
        return String(cString: stream) == "\(status.st_dev):\(status.st_ino)"
    }

    /// Writes a line to standard error, ignoring errors.
    @Sendable public static func standardError(_ line: String) {
        var rest = Array(line.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
            if count <= 0 { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Changes the format and the level of subsequent lines.
    public func change(format: Format, level: Logger.Level) {
        state.withLock { $0 = (format, level) }
    }

    /// Returns a logger that writes to this log.
    public func logger(_ label: String) -> Logger {
        Logger(label: label) { _ in Handler(log: self, label: label) }
    }

    fileprivate var level: Logger.Level { state.withLock { $0.level } }

    fileprivate func record(_ event: LogEvent, _ fields: [(String, String)], label: String) {
        let (format, least) = state.withLock { $0 }
        guard event.level >= least else { return }
        let text = "\(event.message)"
        let line =
            switch format {
            case .journal where isJournal: "<\(event.level.priority)>" + sentence(text, fields)
            case .journal, .text: "\(timestamp()) \(event.level.rawValue) \(label): " + sentence(text, fields)
            case .json: object(event.level, label, text, fields)
            }
        guard line.utf8.count >= Self.maximumLine else { return write(line + "\n") }
        switch format {
        case .journal, .text: write(cut(line, to: Self.maximumLine - 1) + "\n")
        case .json:
            // Shorten the values rather than the line, so that the line stays valid JSON. Try several lengths, because
            // escaping can turn one byte into six.
            let short = [512, 128, 32].lazy.map { most in
                let fields = fields.map { ($0.0, cut($0.1, to: most)) } + [("truncated", "true")]
                return object(event.level, label, cut(text, to: most), fields)
            }
            let least = object(event.level, label, cut(text, to: 512), [("truncated", "true")])
            write((short.first { $0.utf8.count < Self.maximumLine } ?? least) + "\n")
        }
    }

    private struct Handler: LogHandler {
        let log: ServiceLog
        let label: String
        var metadata: Logger.Metadata = [:]

        /// The log's level, which individual loggers cannot change.
        var logLevel: Logger.Level {
            get { log.level }
            set {}
        }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { $1 }
            var fields = all.map { ($0.key, "\($0.value)") }.sorted { $0.0 < $1.0 }
            if let error = event.error { fields.append(("error", "\(error)")) }
            log.record(event, fields, label: label)
        }
    }
}

/// Returns the text, or its beginning and an ellipsis if the text is longer than `most` bytes.
private func cut(_ text: String, to most: Int) -> String {
    guard text.utf8.count > most else { return text }
    var result = String.UnicodeScalarView()
    var count = "…".utf8.count
    for scalar in text.unicodeScalars {
        count += UTF8.width(scalar)
        guard count <= most else { break }
        result.append(scalar)
    }
    return String(result) + "…"
}

private func sentence(_ text: String, _ fields: [(String, String)]) -> String {
    fields.reduce(escaped(text)) { $0 + " \($1.0)=\(value($1.1))" }
}

/// Returns the escaped text of a value, in quotation marks if the text is empty or contains spaces.
private func value(_ text: String) -> String {
    let escaped = escaped(text)
    return escaped.isEmpty || escaped.contains(" ") ? "\"\(escaped)\"" : escaped
}

/// Escapes quotation marks, backslashes, and characters that end the line, move the cursor or change text direction.
private func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse:
            result += "\\u{\(String(scalar.value, radix: 16))}"
        default:
            if scalar == "\"" || scalar == "\\" { result += "\\" }
            result.unicodeScalars.append(scalar)
        }
    }
    return result
}

private func object(_ level: Logger.Level, _ label: String, _ text: String, _ fields: [(String, String)]) -> String {
    let members = [("time", timestamp()), ("level", level.rawValue), ("label", label), ("message", text)] + fields
    return "{" + members.map { "\(quoted($0.0)):\(quoted($0.1))" }.joined(separator: ",") + "}"
}

private func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\"": result += "\\\""
        case "\\": result += "\\\\"
        default:
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse:
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
    return result + "\""
}

/// Returns the current time in UTC with milliseconds (RFC 3339).
private func timestamp() -> String {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    var parts = tm()
    gmtime_r(&now.tv_sec, &parts)
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let milliseconds = String(1000 + now.tv_nsec / 1_000_000).dropFirst()
    return "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
        + "T\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)).\(milliseconds)Z"
}

extension Logger.Level {
    fileprivate var priority: Int {
        switch self {
        case .critical: 2
        case .error: 3
        case .warning: 4
        case .notice: 5
        case .info: 6
        case .debug, .trace: 7
        }
    }
}
