/// A copy of the authority's store.
public struct BackupSummary: Hashable, Sendable {
    /// The file: private to the daemon's user, sealed as the store is, and whole by itself.
    public let path: String
    /// The length in bytes.
    public let bytes: Int64
    /// Time at which it was begun, in milliseconds since 1970 UTC: everything acknowledged before is in it.
    public let at: Int64

    /// A copy of the authority's store.
    public init(path: String, bytes: Int64, at: Int64) {
        self.path = path
        self.bytes = bytes
        self.at = at
    }
}
