import FlowModel
import HTTPServer
import HTTPTypes
import Synchronization

/// Limits the concurrent requests to one hook, with a bounded queue for additional requests.
final class HookConcurrencyLimit: Sendable {
    static let limit = 32
    static let maxWaiting = 256

    private struct State {
        var free = HookConcurrencyLimit.limit
        var line: [(number: UInt64, turn: CheckedContinuation<Bool, Never>)] = []
        var leavers: Set<UInt64> = []
        var last: UInt64 = 0
    }

    private let state = Mutex(State())

    var waiting: Int { state.withLock { $0.line.count } }

    /// Takes a request slot or waits for one in the queue, and throws `HTTPProblem` 503 if the queue is full.
    func take() async throws {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        let isFull = state.withLock { $0.free == 0 && $0.line.count >= Self.maxWaiting }
        guard !isFull else {
            throw HTTPProblem(.serviceUnavailable, code: "busy", Text("tables.hookBusy"), headers: [.retryAfter: "1"])
        }
        let isMine = await withTaskCancellationHandler {
            await withCheckedContinuation { turn in
                let now: Bool? = state.withLock { state in
                    if state.leavers.remove(number) != nil { return false }
                    guard state.free == 0 else {
                        state.free -= 1
                        return true
                    }
                    state.line.append((number, turn))
                    return nil
                }
                if let now { turn.resume(returning: now) }
            }
        } onCancel: {
            let turn = state.withLock { state -> CheckedContinuation<Bool, Never>? in
                guard let place = state.line.firstIndex(where: { $0.number == number }) else {
                    state.leavers.insert(number)
                    return nil
                }
                return state.line.remove(at: place).turn
            }
            turn?.resume(returning: false)
        }
        state.withLock { _ = $0.leavers.remove(number) }
        guard isMine else { throw CancellationError() }
    }

    func give() {
        let turn = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard !state.line.isEmpty else {
                state.free += 1
                return nil
            }
            return state.line.removeFirst().turn
        }
        turn?.resume(returning: true)
    }
}
