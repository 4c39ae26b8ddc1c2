import Synchronization
import TokenCache

/// The tokens of outside authorities that the cache could not take, until it can.
///
/// The refresh token before is spent, or a person has just signed in, so this one must not be lost. It lives in memory only.
final class UnsavedTokens: Sendable {
    /// The greatest number of families.
    static let most = 256

    /// Tokens that the cache lacks.
    struct Held: Sendable {
        /// The tokens, as they are to be written.
        let unit: StoreUnit
        /// The uid's sign-outs before the tokens were asked for; a later one of this account wins.
        let signOuts: Int64
        /// Whether the audit says that the cache lacks them.
        var isRecorded = false
    }

    private let units = Mutex<[FamilyKey: Held]>([:])

    /// The newest tokens of a family that the cache lacks.
    subscript(family: FamilyKey) -> Held? { units.withLock { $0[family] } }

    /// Holds the tokens of a renewal or a sign-in; false if too many are held.
    func hold(_ held: Held, of family: FamilyKey) -> Bool {
        units.withLock { units in
            guard units[family] != nil || units.count < Self.most else { return false }
            units[family] = held
            return true
        }
    }

    /// Holds again what was taken away, except for families of which newer tokens have come since.
    func holdAgain(_ taken: [FamilyKey: Held]) { units.withLock { $0.merge(taken) { newer, _ in newer } } }

    /// The accounts of a uid whose newest tokens the cache lacks, as they would be in it.
    func accounts(uid: UInt32, at now: Int64) -> [AccountRow] {
        units.withLock { units in
            units.filter { $0.key.uid == uid }.map { $0.value.unit.row(of: $0.key.account, at: now) }
        }
    }

    /// Notes that the audit says of a family that the cache lacks its tokens, if it still does.
    func setRecorded(_ family: FamilyKey) { units.withLock { $0[family]?.isRecorded = true } }

    /// Forgets a family, which the cache has or nobody needs.
    func forget(_ family: FamilyKey) { units.withLock { $0[family] = nil } }

    /// Takes away those of accounts that are signed out, or of everybody of the uid.
    ///
    /// - Parameters:
    ///   - uid: The uid.
    ///   - before: The sign-out's generation, so that nothing is taken that was asked for after it; nil before it has one.
    ///   - covers: Tells which accounts are signed out.
    /// - Returns: Those that are held no longer.
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
