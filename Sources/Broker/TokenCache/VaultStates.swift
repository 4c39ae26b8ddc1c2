import DurableSQLite
import Foundation
import GRDB
import Storage
import Synchronization

/// The vaults of all uids, and the keys of those that are open; in memory only.
final class VaultStates: Sendable {
    /// The states of a uid's vault.
    enum State: Sendable {
        /// There is none: rows are sealed by the cache key.
        case none
        /// No row of the uid is opened or written.
        case locked(VaultMark)
        /// Rows are sealed by this key.
        case open(VaultKey, Sealing)

        /// True if there is a vault, locked or open.
        var isVault: Bool { if case .none = self { false } else { true } }
    }

    private struct Inside {
        var states: [UInt32: State] = [:]
        var turns: Set<UInt32> = []
    }

    private let inside = Mutex(Inside())

    func state(_ uid: UInt32) -> State { inside.withLock { $0.states[uid] ?? .none } }

    func set(_ uid: UInt32, _ state: State) {
        inside.withLock { inside in
            if case .none = state { inside.states[uid] = nil } else { inside.states[uid] = state }
        }
    }

    /// Counts the vaults, and those that are open.
    var counts: (all: Int, open: Int) {
        inside.withLock { inside in
            let open = inside.states.values.count { if case .open = $0 { true } else { false } }
            return (inside.states.count, open)
        }
    }

    /// Runs changes to a uid's vault one at a time.
    func turn<T>(of uid: UInt32, _ body: () async throws(StoreError) -> T) async throws(StoreError) -> T {
        guard inside.withLock({ $0.turns.insert(uid).inserted }) else {
            throw StoreError(.busy, "this uid's cache is being locked or unlocked")
        }
        defer { inside.withLock { _ = $0.turns.remove(uid) } }
        return try await body()
    }
}

/// The keys that seal the rows of one uid.
struct RowSealing: Sendable {
    /// The key for everything written from now on.
    let own: Sealing
    /// The key of rows written before there was a vault and not sealed anew yet.
    var former: Sealing?

    func seal(_ value: Data, _ column: SealedColumn, row: String) throws -> Data {
        try own.seal(value, column, row: row)
    }

    func seal(_ value: some Encodable, as column: SealedColumn, row: String) throws -> Data {
        try own.seal(value, as: column, row: row)
    }

    func open(_ sealed: Data, _ column: SealedColumn, row: String) throws(DamagedRow) -> Data {
        try sealing(of: sealed).open(sealed, column, row: row)
    }

    func open(_ column: SealedColumn, of row: Row) throws -> Data {
        try sealing(of: try row.get(column.column)).open(column, of: row)
    }

    func decode<T: Decodable>(_ column: SealedColumn, of row: Row) throws -> T {
        try sealing(of: try row.get(column.column)).decode(column, of: row)
    }

    private func sealing(of sealed: Data) -> Sealing {
        if let former, former.claims(sealed) { former } else { own }
    }
}
