import DurableSQLite
import Synchronization

/// The state that the cache holds only in memory.
///
/// It consists of the uids' generations, the function to call when a generation changes, and the damaged rows that the
/// next write sets aside.
final class Memory: Sendable {
    /// The maximum number of damaged rows waiting to be set aside.
    private static let mostDamaged = 64

    private let generations = Mutex<[UInt32: Int64]>([:])
    private let damaged = Mutex<Set<DamagedRow>>([])
    private let follower = Mutex<(@Sendable (UInt32) -> Void)?>(nil)

    func generation(_ uid: UInt32) -> Int64 { generations.withLock { $0[uid, default: 0] } }

    func raise(_ uid: UInt32) {
        generations.withLock { $0[uid, default: 0] += 1 }
        follower.withLock(\.self)?(uid)
    }

    func follow(_ changed: @escaping @Sendable (UInt32) -> Void) {
        follower.withLock { $0 = changed }
    }

    func remember(_ damage: DamagedRow) {
        damaged.withLock { if $0.count < Self.mostDamaged { _ = $0.insert(damage) } }
    }

    func takeDamaged() -> Set<DamagedRow> {
        damaged.withLock { rows in
            defer { rows = [] }
            return rows
        }
    }
}
