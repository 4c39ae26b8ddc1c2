public import Moments
import Synchronization

/// Two clocks that stand still until a test moves them.
public final class TestClock: Sendable {
    private let state: Mutex<Moment>

    /// Starts in November 2026, an hour after boot.
    public init(wall: Int64 = 1_795_000_000_000, boot: Int64 = 3_600_000, bootID: String = "boot-1") {
        state = Mutex(Moment(wall: wall, boot: boot, bootID: bootID))
    }

    /// The clock to hand to the part under test.
    public var clock: MomentClock { MomentClock { self.now } }

    /// What time it is.
    public var now: Moment { state.withLock { $0 } }

    /// Time goes on by both clocks.
    public func advance(by duration: Duration) {
        state.withLock { $0 = $0.advanced(by: duration) }
    }

    /// Somebody sets the wall clock; time since boot stays.
    public func setWall(by duration: Duration) {
        state.withLock {
            $0 = Moment(wall: $0.wall + duration.milliseconds, boot: $0.boot, bootID: $0.bootID)
        }
    }

    /// The machine sleeps: both clocks go on, since the time since boot counts that, too, and nothing runs meanwhile.
    ///
    /// Only what counts the time awake (`CLOCK_MONOTONIC`) stands still, and nothing that ends is measured by it.
    public func suspend(for duration: Duration) { advance(by: duration) }

    /// The machine starts anew after `duration`.
    public func reboot(after duration: Duration) {
        state.withLock {
            $0 = Moment(wall: $0.wall + duration.milliseconds, boot: 1_000, bootID: $0.bootID + "'")
        }
    }
}
