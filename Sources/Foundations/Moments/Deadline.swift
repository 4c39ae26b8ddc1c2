/// A point in time on two clocks, so that changing the wall clock cannot bypass it.
///
/// Setting the wall clock forward makes tokens and steps expire early, because other parties judge them by the wall
/// clock. It does not shorten a block. Setting the wall clock back does not extend tokens, steps or blocks.
public struct Deadline: Hashable, Sendable, Codable {
    /// Milliseconds since 1970 UTC.
    public let wall: Int64
    /// Milliseconds since the boot with the id ``bootID``.
    public let boot: Int64
    /// The boot that ``boot`` counts from.
    ///
    /// Times from different boots cannot be compared.
    public let bootID: String

    /// Creates a deadline from its stored parts.
    public init(wall: Int64, boot: Int64, bootID: String) {
        self.wall = wall
        self.boot = boot
        self.bootID = bootID
    }

    /// Creates the deadline `duration` after `now`.
    public init(_ duration: Duration, after now: Moment) {
        self.init(
            wall: now.wall + duration.milliseconds,
            boot: now.boot + duration.milliseconds,
            bootID: now.bootID
        )
    }

    /// Whether the deadline has passed on at least one of the clocks.
    ///
    /// Use it for tokens, steps, sessions and flows.
    public func hasEnded(at now: Moment) -> Bool {
        now.wall >= wall || (now.bootID == bootID && now.boot >= boot)
    }

    /// Whether the deadline has passed according to the time since boot, or according to the wall clock after a reboot.
    ///
    /// Use it for blocks and waiting times.
    public func hasPassed(at now: Moment) -> Bool {
        now.bootID == bootID ? now.boot >= boot : now.wall >= wall
    }

    /// Returns the milliseconds until ``hasPassed(at:)`` becomes `true`, or 0 if it is already `true`.
    public func millisecondsLeft(at now: Moment) -> Int64 {
        max(0, now.bootID == bootID ? boot - now.boot : wall - now.wall)
    }

    /// Returns the earlier of two deadlines, compared by the time since boot, or by the wall clock if their boots
    /// differ.
    public func earlier(_ other: Deadline) -> Deadline {
        if bootID == other.bootID { return boot <= other.boot ? self : other }
        return wall <= other.wall ? self : other
    }
}
