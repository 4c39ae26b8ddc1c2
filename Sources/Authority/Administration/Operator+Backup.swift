import Authority
import AuthorityStore
public import FlowModel
import Storage
import StoreRefusals

extension Operator {
    /// Backs up the store without interrupting its use, and returns after the backup has been written to disk.
    ///
    /// Only one backup can run at a time.
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
