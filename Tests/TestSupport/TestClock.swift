public import Moments
import Synchronization

/// A pair of clocks that advance only when a test moves them.
public final class TestClock: Sendable {
    private let state: Mutex<Moment>

    /// Creates clocks that start in November 2026, an hour after boot.
    public init(wall: Int64 = 1_795_000_000_000, boot: Int64 = 3_600_000, bootID: String = "boot-1") {
        state = Mutex(Moment(wall: wall, boot: boot, bootID: bootID))
    }

    /// The clock for the code under test.
    public var clock: MomentClock { MomentClock { self.now } }

    /// The current time.
    public var now: Moment { state.withLock { $0 } }

    /// Advances both clocks.
    public func advance(by duration: Duration) {
        state.withLock { $0 = $0.advanced(by: duration) }
    }

    /// Sets the wall clock.
    ///
    /// The time since boot does not change.
    public func setWall(by duration: Duration) {
        state.withLock {
            $0 = Moment(wall: $0.wall + duration.milliseconds, boot: $0.boot, bootID: $0.bootID)
        }
    }

    /// Suspends the machine: both clocks advance, because the time since boot includes suspend.
    ///
    /// Only the time awake (`CLOCK_MONOTONIC`) would stand still, and no deadline uses it.
    public func suspend(for duration: Duration) { advance(by: duration) }

    /// Reboots the machine after `duration`.
    public func reboot(after duration: Duration) {
        state.withLock {
            $0 = Moment(wall: $0.wall + duration.milliseconds, boot: 1_000, bootID: $0.bootID + "'")
        }
    }
}
