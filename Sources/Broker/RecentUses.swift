import Synchronization

/// When accounts were last used, kept in memory until housekeeping writes it: a cached token touches no writer.
final class RecentUses: Sendable {
    /// An account of a uid.
    struct Key: Hashable, Sendable {
        let uid: UInt32
        let account: String
    }

    /// Most accounts that are remembered between two writes; what is beyond is not noted.
    static let limit = 10_000

    private let uses = Mutex<[Key: Int64]>([:])

    /// Notes a use, in milliseconds since 1970 UTC.
    func note(_ key: Key, at: Int64) {
        uses.withLock { uses in
            guard uses[key] != nil || uses.count < Self.limit else { return }
            uses[key] = max(uses[key] ?? 0, at)
        }
    }

    /// When an account was last used, as far as it is not written yet.
    func lastUsed(_ key: Key) -> Int64? { uses.withLock { $0[key] } }

    /// Everything there is to write; it is forgotten by this.
    func take() -> [Key: Int64] {
        uses.withLock { uses in
            defer { uses = [:] }
            return uses
        }
    }
}
