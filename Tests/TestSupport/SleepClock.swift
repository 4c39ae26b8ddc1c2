import Synchronization

/// A clock for code with deadlines, which advances only when a test advances it.
public final class SleepClock: Clock {
    /// A point in time, relative to the creation of the clock.
    public struct Instant: InstantProtocol {
        fileprivate let time: Duration

        /// Returns the instant `duration` later.
        public func advanced(by duration: Duration) -> Instant { Instant(time: time + duration) }

        /// Returns the duration from this instant to another.
        public func duration(to other: Instant) -> Duration { other.time - time }

        /// Returns whether the first instant is earlier than the second.
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

    /// Creates a clock without sleeping tasks.
    public init() {}

    /// The current instant.
    public var now: Instant { state.withLock { $0.now } }

    /// The resolution of the clock.
    public var minimumResolution: Duration { .zero }

    /// The number of sleeping tasks.
    public var sleepers: Int { state.withLock { $0.sleepers.count } }

    /// Sleeps until the clock reaches an instant.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
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

    /// Waits until at least `count` tasks are sleeping, advances the clock, and wakes the tasks that are due.
    ///
    /// - Throws: ``WaitedInVain`` if too few tasks are sleeping in time.
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
