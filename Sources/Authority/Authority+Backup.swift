import AuthorityStore
public import FlowModel

extension Authority {
    /// Copies the store while it is in use; the copy is whole and on the disk when this returns.
    public func backup(_ caller: Caller) async throws -> BackupSummary {
        let backup = try await Self.storing { try await store.backup() }
        try await audit("store.backed_up", caller, detail: ["path": backup.path, "bytes": "\(backup.bytes)"])
        return backup
    }
}
