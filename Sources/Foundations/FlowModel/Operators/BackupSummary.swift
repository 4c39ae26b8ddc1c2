/// A backup of the authority's database.
public struct BackupSummary: Hashable, Sendable {
    /// The path of the backup file.
    ///
    /// The file is self-contained and readable only by the daemon's user. Columns that are encrypted in the database
    /// are also encrypted in the backup.
    public let path: String
    /// The length in bytes.
    public let bytes: Int64
    /// When the backup was started, in milliseconds since 1970 UTC.
    ///
    /// The backup contains everything that was stored before that time.
    public let at: Int64

    /// Creates the summary of a backup.
    public init(path: String, bytes: Int64, at: Int64) {
        self.path = path
        self.bytes = bytes
        self.at = at
    }
}
