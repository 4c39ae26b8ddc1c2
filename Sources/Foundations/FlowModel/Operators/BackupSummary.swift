/// A backup of the authority's database.
public struct BackupSummary: Hashable, Sendable {
    /// The path of the backup file.
    ///
    /// The file is self-contained, and only the daemon's user can read it. Columns that are encrypted in the database
    /// are also encrypted in the backup.
    public let path: String
    /// The length of the backup file, in bytes.
    public let bytes: Int64
    /// The time at which the backup started, in milliseconds since 1970 UTC.
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
