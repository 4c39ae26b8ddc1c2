import Authority
public import FlowModel
public import OAuth
import Synchronization

extension Broker {
    /// Copies the authority's store while everybody goes on; one copy at a time is made.
    public func backup(caller: Caller) async throws -> BackupSummary {
        try await permit("store.backup", caller)
        guard backups.begin() else {
            throw Refusal(.limitExceeded, "a backup is being made already").with(.limit, "backups")
                .retrying(afterMs: 1000)
        }
        defer { backups.end() }
        return try await authority.backup(caller)
    }
}

/// Whether something is being done that is done once at a time.
final class OnceAtATime: Sendable {
    private let isUnderWay = Mutex(false)

    /// Whether it may begin.
    func begin() -> Bool {
        isUnderWay.withLock { isUnderWay in
            defer { isUnderWay = true }
            return !isUnderWay
        }
    }

    /// It has ended.
    func end() { isUnderWay.withLock { $0 = false } }
}
