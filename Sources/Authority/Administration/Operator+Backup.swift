import Authority
import AuthorityStore
public import FlowModel
import Storage
import StoreRefusals

extension Operator {
    /// Writes a backup of the store to disk while the store is in use, or throws if another backup is running.
    public func backUp() async throws -> BackupSummary {
        guard administration.backups.begin() else {
            throw Refusal(.limitExceeded, Text("refusal.backupUnderWay")).with(.limit, "backups")
                .retrying(afterMs: 1000)
        }
        defer { administration.backups.end() }
        let backup = try await Administration.rows.storing { try await store.backup() }
        try await authority.audit(
            .storeBackedUp,
            caller,
            detail: ["path": backup.path, "bytes": "\(backup.bytes)"]
        )
        return backup
    }
}
