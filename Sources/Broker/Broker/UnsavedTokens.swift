import Synchronization
import TokenCache

/// External authorities' tokens that the cache could not store yet, in memory only.
///
/// These tokens must not be lost: the previous refresh token cannot be used again, or a user has just signed in.
final class UnsavedTokens: Sendable {
    /// The maximum number of token families.
    static let most = 256

    /// Tokens that are missing from the cache.
    struct Held: Sendable {
        /// The tokens, ready to be written.
        let unit: StoreUnit
        /// The generation of the uid's most recent sign-out, read before the request.
        ///
        /// If the account has been signed out since then, the tokens are not stored.
        let signOuts: Int64
        /// Whether the audit log records that the tokens are missing from the cache.
        var isRecorded = false
    }

    private let units = Mutex<[FamilyKey: Held]>([:])

    /// A family's newest tokens if they are missing from the cache, or `nil` if they are not.
    subscript(family: FamilyKey) -> Held? { units.withLock { $0[family] } }

    /// Adds the tokens from a renewal or a sign-in.
    ///
    /// Returns `false` if there are too many.
    func hold(_ held: Held, of family: FamilyKey) -> Bool {
        units.withLock { units in
            guard units[family] != nil || units.count < Self.most else { return false }
            units[family] = held
            return true
        }
    }

    /// Puts tokens back, except for families that have received newer tokens in the meantime.
    func holdAgain(_ taken: [FamilyKey: Held]) { units.withLock { $0.merge(taken) { newer, _ in newer } } }

    /// Returns a uid's accounts whose newest tokens are missing from the cache, as cache rows.
    func accounts(uid: UInt32, at now: Int64) -> [AccountRow] {
        units.withLock { units in
            units.filter { $0.key.uid == uid }.map { $0.value.unit.row(of: $0.key.account, at: now) }
        }
    }

    /// Marks a family's missing tokens as recorded in the audit log, if they are still missing.
    func setRecorded(_ family: FamilyKey) { units.withLock { $0[family]?.isRecorded = true } }

    /// Removes a family whose tokens are stored or no longer needed.
    func forget(_ family: FamilyKey) { units.withLock { $0[family] = nil } }

    /// Removes and returns the tokens of a uid's accounts that are being signed out.
    ///
    /// - Parameters:
    ///   - uid: The uid that the accounts belong to.
    ///   - before: The sign-out's generation, or `nil` if it does not have one yet. Tokens that were requested later
    ///     stay.
    ///   - covers: Whether the sign-out covers an account.
    /// - Returns: The removed tokens.
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
