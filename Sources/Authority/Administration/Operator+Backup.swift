import Authority
import AuthorityStore
public import FlowModel
import Storage
import StoreRefusals

extension Operator {
    /// Copies the store while it is in use, one copy at a time; it is whole and on the disk when this returns.
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
