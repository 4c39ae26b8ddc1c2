public import Moments
import Synchronization

/// A wall clock and a boot clock, which advance only when a test advances them.
public final class TestClock: Sendable {
    private let state: Mutex<Moment>

    /// Creates clocks that by default start in November 2026, one hour after boot.
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

    /// Moves the wall clock by `duration`.
    ///
    /// The time since boot does not change.
    public func setWall(by duration: Duration) {
        state.withLock {
            $0 = Moment(wall: $0.wall + duration.milliseconds, boot: $0.boot, bootID: $0.bootID)
        }
    }

    /// Simulates a suspended machine by advancing both clocks, because the time since boot includes suspension.
    ///
    /// Only `CLOCK_MONOTONIC` stops during suspension, and no deadline uses that clock.
    public func suspend(for duration: Duration) { advance(by: duration) }

    /// Simulates a reboot of the machine after `duration`.
    public func reboot(after duration: Duration) {
        state.withLock {
            $0 = Moment(wall: $0.wall + duration.milliseconds, boot: 1_000, bootID: $0.bootID + "'")
        }
    }
}
