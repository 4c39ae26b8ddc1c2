import Glibc
import OfflineTables
import Synchronization

/// A store that fails permanently at a chosen write, or kills its process at that write.
final class BreakableStore: SyncStore {
    /// The error that the store throws after its failure.
    struct Killed: Error {}

    /// The way in which the store fails at the chosen write.
    enum End {
        /// The store throws an error at that write and at every later call.
        case throwing
        /// The store kills its process immediately.
        case killing
    }

    private struct State {
        var writes = 0
        var end: Int?
        var isCommitted = false
        var isDead = false
    }

    private let store: any SyncStore
    private let ending: End
    private let state = Mutex(State())

    init(_ store: any SyncStore, ending: End = .throwing) {
        self.store = store
        self.ending = ending
    }

    /// Makes the store fail at the `number`th write from now on.
    ///
    /// The store fails after the commit of the write if `committed` is `true`, and before the commit otherwise.
    func breakAt(write number: Int, committed: Bool) {
        state.withLock { $0 = State(end: number, isCommitted: committed) }
    }

    /// The number of writes since ``breakAt(write:committed:)`` was last called, or since the store was created.
    var writes: Int { state.withLock { $0.writes } }

    /// Whether the store has failed.
    var isDead: Bool { state.withLock { $0.isDead } }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SyncTransaction) throws -> Value
    ) async throws -> Value {
        if isDead { throw Killed() }
        return try await store.read(body)
    }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any SyncTransaction) throws -> Value
    ) async throws -> Value {
        let (isLast, isCommitted) = try state.withLock { state in
            if state.isDead { throw Killed() }
            state.writes += 1
            let isLast = state.writes == state.end
            if isLast { state.isDead = true }
            return (isLast, state.isCommitted)
        }
        guard isLast else { return try await store.write(body) }
        let value = try await store.write { [self] transaction in
            let value = try body(transaction)
            if !isCommitted { throw die() }
            return value
        }
        _ = value
        throw die()
    }

    private func die() -> Killed {
        switch ending {
        case .throwing: break
        case .killing: kill(getpid(), SIGKILL)
        }
        return Killed()
    }

    func exclusively<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        try await store.exclusively(body)
    }
}
