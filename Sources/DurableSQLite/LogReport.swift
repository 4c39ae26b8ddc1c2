public import Logging

/// What was done about a damaged write-ahead log before its database was opened.
public struct LogReport: Hashable, Sendable {
    /// What was done.
    public enum Outcome: String, Hashable, Sendable {
        /// The damaged pages were written again behind the damage, so nothing is lost.
        case mended
        /// The database and its log were put aside, and an empty one takes their place.
        case setAside
    }

    /// What was done.
    public let outcome: Outcome
    /// The log.
    public let path: String
    /// Where the damaged log is now.
    public let keptAs: String
    /// How many of the log's pages were damaged; 0 if only its header was.
    public let damagedPages: Int
    /// How many transactions stand behind the beginning of the damage.
    public let changes: Int

    /// Tells whoever operates the store.
    public func write(to logger: Logger) {
        let metadata: Logger.Metadata = [
            "file": "\(path)", "keptAs": "\(keptAs)", "damagedPages": "\(damagedPages)", "changes": "\(changes)",
        ]
        switch outcome {
        case .mended: logger.warning("a damaged log was mended, nothing is lost", metadata: metadata)
        case .setAside: logger.error("a damaged log was set aside with its database", metadata: metadata)
        }
    }
}
