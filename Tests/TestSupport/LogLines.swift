public import Logging
import Synchronization

/// Records log lines.
public final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    /// Creates an empty record.
    public init() {}

    /// The lines so far, each with its level, its message, and its metadata sorted by name.
    public var all: [String] { lines.withLock { $0 } }

    /// A logger that records lines of level `debug` and above.
    public var logger: Logger { Logger(label: "test") { [self] _ in Handler(lines: self) } }

    private struct Handler: LogHandler {
        let lines: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.debug

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { $1 }
            let facts = all.map { "\($0.key)=\($0.value)" }.sorted()
            lines.lines.withLock {
                $0.append((["\(event.level):", "\(event.message)"] + facts).joined(separator: " "))
            }
        }
    }
}
