/// A deadline on the wall clock and in time since boot, so that setting the wall clock back does not extend it.
///
/// After a reboot, only the wall clock counts.
public struct Deadline: Hashable, Sendable, Codable {
    /// The deadline on the wall clock, in milliseconds since 1970 UTC.
    public let wall: Int64
    /// The deadline as the time since the boot with the id ``bootID``, in milliseconds.
    public let boot: Int64
    /// The id of the boot from which ``boot`` is measured.
    public let bootID: String

    /// Creates a deadline from its stored parts.
    public init(wall: Int64, boot: Int64, bootID: String) {
        self.wall = wall
        self.boot = boot
        self.bootID = bootID
    }

    /// Creates a deadline that is `duration` after `now`.
    public init(_ duration: Duration, after now: Moment) {
        self.init(
            wall: now.wall + duration.milliseconds,
            boot: now.boot + duration.milliseconds,
            bootID: now.bootID
        )
    }

    /// Whether the deadline of a token, step, session or flow has passed on at least one of the two clocks.
    public func hasEnded(at now: Moment) -> Bool {
        now.wall >= wall || (now.bootID == bootID && now.boot >= boot)
    }

    /// Whether a waiting time has passed, according to the time since boot or, after a reboot, the wall clock.
    public func hasPassed(at now: Moment) -> Bool {
        now.bootID == bootID ? now.boot >= boot : now.wall >= wall
    }

    /// Returns the milliseconds that remain until ``hasPassed(at:)`` returns `true`, or 0 if none remain.
    public func millisecondsLeft(at now: Moment) -> Int64 {
        max(0, now.bootID == bootID ? boot - now.boot : wall - now.wall)
    }

    /// Returns the earlier deadline, by the time since boot or, if the boots differ, by the wall clock.
    public func earlier(_ other: Deadline) -> Deadline {
        if bootID == other.bootID { return boot <= other.boot ? self : other }
        return wall <= other.wall ? self : other
    }
}
