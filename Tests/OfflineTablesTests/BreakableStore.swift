import OfflineTables
import Synchronization

/// A store that fails for good at a write, as if the process had been killed there.
final class BreakableStore: SyncStore {
    /// The store is gone.
    struct Killed: Error {}

    private struct State {
        var writes = 0
        var end: Int?
        var isCommitted = false
        var isDead = false
    }

    private let store: any SyncStore
    private let state = Mutex(State())

    init(_ store: any SyncStore) {
        self.store = store
    }

    /// Dies at the write that is the `number`th from now on, before or after it is committed.
    func breakAt(write number: Int, committed: Bool) {
        state.withLock { $0 = State(end: number, isCommitted: committed) }
    }

    /// True if it has died.
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
        let value = try await store.write { transaction in
            let value = try body(transaction)
            if !isCommitted { throw Killed() }
            return value
        }
        _ = value
        throw Killed()
    }

    func exclusively<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        try await store.exclusively(body)
    }
}
