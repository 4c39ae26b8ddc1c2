import Synchronization
import TokenCache

/// The tokens of outside authorities that the cache could not take, until it can.
///
/// The refresh token before is spent, so this one must not be lost. It lives in memory only.
final class UnkeptTokens: Sendable {
    /// The greatest number of families.
    static let most = 256

    private let units = Mutex<[FamilyKey: StoreUnit]>([:])

    /// The newest tokens of a family that the cache lacks.
    subscript(family: FamilyKey) -> StoreUnit? { units.withLock { $0[family] } }

    /// Holds the tokens of a renewal; false if too many are held.
    func hold(_ unit: StoreUnit, of family: FamilyKey) -> Bool {
        units.withLock { units in
            guard units[family] != nil || units.count < Self.most else { return false }
            units[family] = unit
            return true
        }
    }

    /// Forgets a family, which the cache has or nobody needs.
    func forget(_ family: FamilyKey) { units.withLock { $0[family] = nil } }

    /// Takes away those of accounts that are signed out, or of everybody of the uid.
    func take(uid: UInt32, _ covers: (String) -> Bool) -> [StoreUnit] {
        units.withLock { units in
            let gone = units.filter { $0.key.uid == uid && covers($0.key.account) }
            for family in gone.keys { units[family] = nil }
            return Array(gone.values)
        }
    }
}
