/// A point in time that neither clock can be used to walk around.
///
/// A wall clock that is set forward ends tokens and steps, since others believe it too, but lets nobody out of a block;
/// one that is set back prolongs nothing.
public struct Deadline: Hashable, Sendable, Codable {
    /// Milliseconds since 1970 UTC.
    public let wall: Int64
    /// Milliseconds since the boot named ``bootID``.
    public let boot: Int64
    /// The boot that ``boot`` counts from; another boot's time says nothing.
    public let bootID: String

    /// A deadline as it was stored.
    public init(wall: Int64, boot: Int64, bootID: String) {
        self.wall = wall
        self.boot = boot
        self.bootID = bootID
    }

    /// The deadline `duration` after `now`.
    public init(_ duration: Duration, after now: Moment) {
        self.init(
            wall: now.wall + duration.milliseconds,
            boot: now.boot + duration.milliseconds,
            bootID: now.bootID
        )
    }

    /// Tells whether a grant until this deadline has ended: either clock is enough.
    ///
    /// For tokens, steps, sessions and flows.
    public func hasEnded(at now: Moment) -> Bool {
        now.wall >= wall || (now.bootID == bootID && now.boot >= boot)
    }

    /// Tells whether a prohibition until this deadline is over: the time since boot decides, and the wall
    /// clock only after a reboot.
    ///
    /// For blocks and waiting times.
    public func hasPassed(at now: Moment) -> Bool {
        now.bootID == bootID ? now.boot >= boot : now.wall >= wall
    }

    /// Milliseconds until ``hasPassed(at:)``; 0 when it has.
    public func millisecondsLeft(at now: Moment) -> Int64 {
        max(0, now.bootID == bootID ? boot - now.boot : wall - now.wall)
    }

    /// The earlier of two deadlines of one boot, by the wall clock where boots differ.
    public func earlier(_ other: Deadline) -> Deadline {
        if bootID == other.bootID { return boot <= other.boot ? self : other }
        return wall <= other.wall ? self : other
    }
}
