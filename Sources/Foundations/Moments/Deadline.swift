/// A deadline that is measured by two clocks, so that it cannot be bypassed by changing the wall clock.
///
/// Setting the wall clock forward makes tokens and steps expire early, because other parties use the wall clock too,
/// but it does not shorten a block. Setting the wall clock back does not extend any deadline.
public struct Deadline: Hashable, Sendable, Codable {
    /// Milliseconds since 1970 UTC.
    public let wall: Int64
    /// Milliseconds since the boot with the id ``bootID``.
    public let boot: Int64
    /// The id of the boot that ``boot`` counts from.
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

    /// Whether the deadline has passed on at least one of the clocks.
    ///
    /// Used for tokens, steps, sessions and flows.
    public func hasEnded(at now: Moment) -> Bool {
        now.wall >= wall || (now.bootID == bootID && now.boot >= boot)
    }

    /// Whether the deadline has passed, according to the time since boot or, after a reboot, the wall clock.
    ///
    /// Used for the end of blocks and waits.
    public func hasPassed(at now: Moment) -> Bool {
        now.bootID == bootID ? now.boot >= boot : now.wall >= wall
    }

    /// Returns the milliseconds until ``hasPassed(at:)`` becomes `true`, or 0 if it is already `true`.
    public func millisecondsLeft(at now: Moment) -> Int64 {
        max(0, now.bootID == bootID ? boot - now.boot : wall - now.wall)
    }

    /// Returns the earlier of two deadlines.
    ///
    /// Compares the times since boot, or the wall clock if the deadlines refer to different boots.
    public func earlier(_ other: Deadline) -> Deadline {
        if bootID == other.bootID { return boot <= other.boot ? self : other }
        return wall <= other.wall ? self : other
    }
}
