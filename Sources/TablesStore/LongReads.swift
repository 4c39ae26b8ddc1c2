import DurableSQLite
import Storage
import Synchronization

/// Lets long reads run, a few at a time and fewer of one owner, so that short ones of others always find a connection.
final class LongReads: Sendable {
    /// Most reads that run at a time.
    static let places = DurableDatabase.readers - 1
    /// Most reads of one owner that run at a time.
    static let placesOfOwner = places - 1
    /// Most reads of one owner that wait.
    static let waitersOfOwner = 64
    /// Most reads that wait.
    static let waiters = 256

    private struct Waiter {
        let owner: String
        let proceed: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var running: [String: Int] = [:]
        var waiting: [Waiter] = []

        func hasPlace(_ owner: String) -> Bool {
            running[owner, default: 0] < placesOfOwner && running.values.reduce(0, +) < places
        }

        func isFull(_ owner: String) -> Bool {
            waiting.count >= waiters || waiting.count { $0.owner == owner } >= waitersOfOwner
        }
    }

    private let state = Mutex(State())

    /// Runs `body` when there is a place.
    ///
    /// - Throws: `StoreError` `busy` if too many wait already, and as `body` does.
    func run<Value: Sendable>(_ owner: String, _ body: () async throws -> Value) async throws -> Value {
        try await enter(owner)
        defer { leave(owner) }
        return try await body()
    }

    /// True if another read of that owner would be refused.
    func isFull(_ owner: String) -> Bool { state.withLock { !$0.hasPlace(owner) && $0.isFull(owner) } }

    private func enter(_ owner: String) async throws(StoreError) {
        let isAdmitted = await withCheckedContinuation { (proceed: CheckedContinuation<Bool, Never>) in
            let answer = state.withLock { state -> Bool? in
                if state.hasPlace(owner) {
                    state.running[owner, default: 0] += 1
                    return true
                }
                guard !state.isFull(owner) else { return false }
                state.waiting.append(Waiter(owner: owner, proceed: proceed))
                return nil
            }
            if let answer { proceed.resume(returning: answer) }
        }
        guard isAdmitted else { throw StoreError(.busy, "too many long queries wait") }
    }

    /// Hands the place to the read that has waited longest among those that may have it.
    private func leave(_ owner: String) {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            let rest = state.running[owner, default: 1] - 1
            state.running[owner] = rest > 0 ? rest : nil
            guard let index = state.waiting.firstIndex(where: { state.hasPlace($0.owner) }) else { return nil }
            let waiter = state.waiting.remove(at: index)
            state.running[waiter.owner, default: 0] += 1
            return waiter.proceed
        }
        next?.resume(returning: true)
    }
}
