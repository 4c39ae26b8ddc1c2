import Synchronization

/// The times of last use of accounts, kept in memory until housekeeping writes them: a cached token needs no write.
final class AccountLastUsed: Sendable {
    /// An account of a uid.
    struct Key: Hashable, Sendable {
        let uid: UInt32
        let account: String
    }

    /// The greatest number of accounts remembered between two writes; uses of others are not recorded.
    static let limit = 10_000

    private let uses = Mutex<[Key: Int64]>([:])

    /// Records a use, in milliseconds since 1970 UTC.
    func note(_ key: Key, at: Int64) {
        uses.withLock { uses in
            guard uses[key] != nil || uses.count < Self.limit else { return }
            uses[key] = max(uses[key] ?? 0, at)
        }
    }

    /// Time of an account's last use that is not written yet; nil if there is none.
    func lastUsed(_ key: Key) -> Int64? { uses.withLock { $0[key] } }

    /// Returns all uses to be written, and forgets them.
    func take() -> [Key: Int64] {
        uses.withLock { uses in
            defer { uses = [:] }
            return uses
        }
    }
}
