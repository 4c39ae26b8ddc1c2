import Synchronization
import TokenCache

/// Tokens of external authorities that are only in memory, because the cache could not store them.
///
/// Without them, the user would have to sign in again.
final class UnsavedTokens: Sendable {
    /// The maximum number of token families whose tokens can be held.
    static let most = 256

    struct Held: Sendable {
        let unit: StoreUnit
        /// The generation number of the uid's most recent sign-out before the tokens were requested.
        let signOuts: Int64
        /// Whether the audit log records that the tokens are missing from the cache.
        var isRecorded = false
    }

    private let units = Mutex<[FamilyKey: Held]>([:])

    /// The newest tokens of `family`, or `nil` if the cache already contains them.
    subscript(family: FamilyKey) -> Held? { units.withLock { $0[family] } }

    /// Adds the tokens from a renewal or a sign-in, or returns `false` if the maximum number of families is reached.
    func hold(_ held: Held, of family: FamilyKey) -> Bool {
        units.withLock { units in
            guard units[family] != nil || units.count < Self.most else { return false }
            units[family] = held
            return true
        }
    }

    /// Puts back tokens that `take` has removed, unless newer tokens of the same family have been added since then.
    func holdAgain(_ taken: [FamilyKey: Held]) { units.withLock { $0.merge(taken) { newer, _ in newer } } }

    /// Returns rows for those of the uid's accounts whose newest tokens are missing from the cache.
    func accounts(uid: UInt32, at now: Int64) -> [AccountRow] {
        units.withLock { units in
            units.filter { $0.key.uid == uid }.map { $0.value.unit.row(of: $0.key.account, at: now) }
        }
    }

    func setRecorded(_ family: FamilyKey) { units.withLock { $0[family]?.isRecorded = true } }

    func forget(_ family: FamilyKey) { units.withLock { $0[family] = nil } }

    /// Removes and returns the tokens of the accounts whose ids satisfy `covers`.
    ///
    /// If `before` is the generation of a sign-out, only tokens that were requested before that sign-out are removed.
    /// If `before` is `nil`, all of them are removed.
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
