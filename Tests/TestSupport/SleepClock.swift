import Synchronization

/// A clock for deadlines that stands still until a test moves it.
public final class SleepClock: Clock {
    /// A time since the clock was made.
    public struct Instant: InstantProtocol {
        fileprivate let time: Duration

        public func advanced(by duration: Duration) -> Instant { Instant(time: time + duration) }

        public func duration(to other: Instant) -> Duration { other.time - time }

        public static func < (first: Instant, second: Instant) -> Bool { first.time < second.time }
    }

    private struct Sleeper {
        let end: Instant
        let wake: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(time: .zero)
        var last = 0
        var sleepers: [Int: Sleeper] = [:]
    }

    private let state = Mutex(State())

    /// A clock at whose time nobody sleeps.
    public init() {}

    public var now: Instant { state.withLock { $0.now } }

    public var minimumResolution: Duration { .zero }

    /// The number of tasks that sleep.
    public var sleepers: Int { state.withLock { $0.sleepers.count } }

    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (wake: CheckedContinuation<Void, any Error>) in
                let outcome = state.withLock { state -> Result<Void, any Error>? in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if deadline <= state.now { return .success(()) }
                    state.sleepers[number] = Sleeper(end: deadline, wake: wake)
                    return nil
                }
                if let outcome { wake.resume(with: outcome) }
            }
        } onCancel: {
            state.withLock { $0.sleepers.removeValue(forKey: number) }?.wake.resume(throwing: CancellationError())
        }
    }

    /// Moves the time on, as soon as so many tasks sleep; wakes those whose time has come.
    ///
    /// - Throws: ``WaitedInVain``.
    public func advance(by duration: Duration, whenSleeping count: Int = 1) async throws {
        try await waitUntil("\(count) tasks sleep") { sleepers >= count }
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let now = state.now
            let due = state.sleepers.filter { $0.value.end <= now }
            for number in due.keys { state.sleepers[number] = nil }
            return due
        }
        for sleeper in due.values { sleeper.wake.resume() }
    }
}
