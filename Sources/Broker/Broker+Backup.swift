import Authority
public import FlowModel
import OAuth
import Synchronization

extension Broker {
    /// Copies the authority's store while everybody goes on; one copy at a time is made.
    public func backup(caller: Caller) async throws -> BackupAnswer {
        try await permit("store.backup", caller)
        guard backups.begin() else {
            throw Refusal(.limitExceeded, "a backup is being made already").with(.limit, "backups")
                .retrying(afterMs: 1000)
        }
        defer { backups.end() }
        let backup = try await authority.backup(caller)
        return BackupAnswer(path: backup.path, bytes: backup.bytes, at: backup.at)
    }
}

/// A copy of the authority's store.
public struct BackupAnswer: Hashable, Sendable {
    /// The file; it is the daemon's user's alone.
    public let path: String
    /// Its length.
    public let bytes: Int64
    /// When it was begun, in milliseconds since 1970 UTC: what was acknowledged before is in it.
    public let at: Int64
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
