import AuthorityStore
public import FlowModel

extension Authority {
    /// A copy of the authority's store.
    public struct Backup: Hashable, Sendable {
        /// The file; it is the daemon's user's alone.
        public let path: String
        /// Its length.
        public let bytes: Int64
        /// When it was begun, in milliseconds since 1970 UTC: what was acknowledged before is in it.
        public let at: Int64
    }

    /// Copies the store while it is in use; the copy is whole and on the disk when this returns.
    public func backup(_ caller: Caller) async throws -> Backup {
        let backup = try await Self.storing { try await store.backup() }
        try await audit("store.backed_up", caller, detail: ["path": backup.path, "bytes": "\(backup.bytes)"])
        return Backup(path: backup.path, bytes: backup.bytes, at: backup.at)
    }
}
