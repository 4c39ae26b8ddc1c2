import Synchronization
import TokenCache

/// Tokens from external authorities that are only in memory, because the cache could not store them.
///
/// These tokens must not be lost: the previous refresh token cannot be used again, or a user has just signed in.
final class UnsavedTokens: Sendable {
    /// The maximum number of token families.
    static let most = 256

    struct Held: Sendable {
        let unit: StoreUnit
        /// The generation of the uid's most recent sign-out, read before the tokens were requested.
        let signOuts: Int64
        /// Whether the audit log records that the tokens are missing from the cache.
        var isRecorded = false
    }

    private let units = Mutex<[FamilyKey: Held]>([:])

    /// The newest tokens of `family` if they are missing from the cache, or `nil` otherwise.
    subscript(family: FamilyKey) -> Held? { units.withLock { $0[family] } }

    /// Adds the tokens from a renewal or a sign-in, or returns `false` if the maximum number of families is reached.
    func hold(_ held: Held, of family: FamilyKey) -> Bool {
        units.withLock { units in
            guard units[family] != nil || units.count < Self.most else { return false }
            units[family] = held
            return true
        }
    }

    /// Puts back tokens that `take` removed, except for families that have received newer tokens in the meantime.
    func holdAgain(_ taken: [FamilyKey: Held]) { units.withLock { $0.merge(taken) { newer, _ in newer } } }

    /// Returns a uid's accounts whose newest tokens are missing from the cache, as cache rows.
    func accounts(uid: UInt32, at now: Int64) -> [AccountRow] {
        units.withLock { units in
            units.filter { $0.key.uid == uid }.map { $0.value.unit.row(of: $0.key.account, at: now) }
        }
    }

    /// Marks a family's tokens as recorded in the audit log.
    func setRecorded(_ family: FamilyKey) { units.withLock { $0[family]?.isRecorded = true } }

    func forget(_ family: FamilyKey) { units.withLock { $0[family] = nil } }

    /// Removes and returns the tokens of the accounts that a sign-out covers.
    ///
    /// `covers` returns `true` for the ids of these accounts.
    ///
    /// `before` is the sign-out's generation. Tokens that were requested after the sign-out are kept. If `before` is
    /// `nil`, all tokens of the accounts are removed.
    func take(uid: UInt32, before: Int64? = nil, _ covers: (String) -> Bool) -> [FamilyKey: Held] {
        units.withLock { units in
            let gone = units.filter { family, held in
                family.uid == uid && covers(family.account) && held.signOuts < before ?? .max
            }
            for family in gone.keys { units[family] = nil }
            return gone
        }
    }
}
