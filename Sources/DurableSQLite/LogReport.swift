public import Logging

/// A damaged write-ahead log that was mended before its database was opened: each damaged page was written again behind
/// the damage, so nothing is lost.
public struct LogReport: Hashable, Sendable {
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
        logger.warning("a damaged log was mended, nothing is lost", metadata: metadata)
    }
}
