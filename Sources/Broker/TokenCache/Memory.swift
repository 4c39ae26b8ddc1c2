import DurableSQLite
import Synchronization

/// The state that the cache holds only in memory.
final class Memory: Sendable {
    /// The maximum number of undecryptable rows that wait to be moved to the `damaged` table.
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
