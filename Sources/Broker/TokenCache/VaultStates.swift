import DurableSQLite
import Foundation
import GRDB
import Storage
import Synchronization

/// The states of all uids' vaults and the keys of unlocked vaults, which are held only in memory.
final class VaultStates: Sendable {
    enum State: Sendable {
        /// The uid has no vault, so the uid's rows are encrypted with the cache key.
        case none
        /// The vault is locked, so none of the uid's rows can be read or written.
        case locked(VaultMark)
        /// The vault is unlocked, and the associated key encrypts the uid's rows.
        case open(VaultKey, Sealing)

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

    var counts: (all: Int, open: Int) {
        inside.withLock { inside in
            let open = inside.states.values.count { if case .open = $0 { true } else { false } }
            return (inside.states.count, open)
        }
    }

    /// Runs `body`, which changes a uid's vault, or throws `busy` if another change to the same vault is in progress.
    func turn<T>(of uid: UInt32, _ body: () async throws(StoreError) -> T) async throws(StoreError) -> T {
        guard inside.withLock({ $0.turns.insert(uid).inserted }) else {
            throw StoreError(.busy, "this uid's cache is being locked or unlocked")
        }
        defer { inside.withLock { _ = $0.turns.remove(uid) } }
        return try await body()
    }
}

/// The keys that encrypt and decrypt the rows of one uid.
struct RowSealing: Sendable {
    /// The key that encrypts all new values.
    let own: Sealing
    /// The key that decrypts rows written before the uid had a vault, or `nil` if the uid has no vault.
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
