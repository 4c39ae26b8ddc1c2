/// A backup of the authority's database.
public struct BackupSummary: Hashable, Sendable {
    /// The path of the file.
    ///
    /// The file is readable only by the daemon's user, sealed like the database, and self-contained.
    public let path: String
    /// The length in bytes.
    public let bytes: Int64
    /// The time at which the backup started, in milliseconds since 1970 UTC.
    ///
    /// The backup contains everything acknowledged before that time.
    public let at: Int64

    /// Creates the summary of a backup.
    public init(path: String, bytes: Int64, at: Int64) {
        self.path = path
        self.bytes = bytes
        self.at = at
    }
}
