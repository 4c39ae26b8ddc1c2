/// A backup of the authority's database.
public struct BackupSummary: Hashable, Sendable {
    /// The path of the backup, which is a single file that only the daemon's user can read.
    ///
    /// Columns that are encrypted in the database are also encrypted in the backup.
    public let path: String
    /// The length of the backup file, in bytes.
    public let bytes: Int64
    /// The start of the backup, in milliseconds since 1970 UTC; everything stored before it is included.
    public let at: Int64

    /// Creates the summary of a backup.
    public init(path: String, bytes: Int64, at: Int64) {
        self.path = path
        self.bytes = bytes
        self.at = at
    }
}
