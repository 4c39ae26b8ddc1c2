import DurableSQLite
import Storage
import Synchronization

/// Limits concurrent long reads, in total and per owner, so that a connection is always free for short reads.
final class SlowReads: Sendable {
    /// The maximum number of concurrent long reads.
    static let places = DurableDatabase.readers - 1
    static let placesOfOwner = places - 1
    static let waitersOfOwner = 64
    static let waiters = 256

    private enum Outcome {
        case admitted, full, givenUp
    }

    private struct Waiter {
        let number: UInt64
        let owner: String
        let proceed: CheckedContinuation<Outcome, Never>
    }

    private struct State {
        var running: [String: Int] = [:]
        var waiting: [Waiter] = []
        var last: UInt64 = 0

        func hasPlace(_ owner: String) -> Bool {
            running[owner, default: 0] < placesOfOwner && running.values.reduce(0, +) < places
        }

        func isFull(_ owner: String) -> Bool {
            waiting.count >= waiters || waiting.count { $0.owner == owner } >= waitersOfOwner
        }
    }

    private let state = Mutex(State())

    /// Runs `body` when a slot is free.
    ///
    /// - Throws: `StoreError` `busy` if too many reads are waiting, `CancellationError` if cancelled while waiting.
    func run<Value: Sendable>(_ owner: String, _ body: () async throws -> Value) async throws -> Value {
        try await enter(owner)
        defer { leave(owner) }
        return try await body()
    }

    var load: (running: Int, waiting: Int) {
        state.withLock { ($0.running.values.reduce(0, +), $0.waiting.count) }
    }

    /// Returns whether another read for the owner would be rejected.
    func isFull(_ owner: String) -> Bool { state.withLock { !$0.hasPlace(owner) && $0.isFull(owner) } }

    private func enter(_ owner: String) async throws {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { (proceed: CheckedContinuation<Outcome, Never>) in
                let outcome = state.withLock { state -> Outcome? in
                    guard !Task.isCancelled else { return .givenUp }
                    if state.hasPlace(owner) {
                        state.running[owner, default: 0] += 1
                        return .admitted
                    }
                    guard !state.isFull(owner) else { return .full }
                    state.waiting.append(Waiter(number: number, owner: owner, proceed: proceed))
                    return nil
                }
                if let outcome { proceed.resume(returning: outcome) }
            }
        } onCancel: {
            giveUp(number)
        }
        switch outcome {
        case .admitted: return
        case .full: throw StoreError(.busy, "too many long queries are waiting")
        case .givenUp: throw CancellationError()
        }
    }

    private func giveUp(_ number: UInt64) {
        let waiter = state.withLock { state -> Waiter? in
            guard let index = state.waiting.firstIndex(where: { $0.number == number }) else { return nil }
            return state.waiting.remove(at: index)
        }
        waiter?.proceed.resume(returning: .givenUp)
    }

    /// Frees a slot, and passes it to the longest-waiting read that is allowed to take it.
    private func leave(_ owner: String) {
        let next = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
            let rest = state.running[owner, default: 1] - 1
            state.running[owner] = rest > 0 ? rest : nil
            guard let index = state.waiting.firstIndex(where: { state.hasPlace($0.owner) }) else { return nil }
            let waiter = state.waiting.remove(at: index)
            state.running[waiter.owner, default: 0] += 1
            return waiter.proceed
        }
        next?.resume(returning: .admitted)
    }
}
