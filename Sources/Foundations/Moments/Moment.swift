public import Foundation

/// A time on two clocks: the wall clock, which can be changed, and the time since boot.
public struct Moment: Hashable, Sendable {
    /// Milliseconds since 1970 UTC, according to the wall clock.
    public let wall: Int64
    /// Milliseconds since boot, including time in suspend.
    public let boot: Int64
    /// The id of the boot that ``boot`` counts from.
    public let bootID: String

    /// Creates a moment from the readings of both clocks.
    public init(wall: Int64, boot: Int64, bootID: String) {
        self.wall = wall
        self.boot = boot
        self.bootID = bootID
    }

    /// The reading of the wall clock, as a date.
    public var date: Date { Date(timeIntervalSince1970: Double(wall) / 1000) }

    /// The reading of the wall clock, in whole seconds since 1970 UTC (`NumericDate`, RFC 7519 §2).
    public var seconds: Int64 { wall / 1000 }

    /// Returns the moment that is later by `duration` on both clocks.
    public func advanced(by duration: Duration) -> Moment {
        Moment(wall: wall + duration.milliseconds, boot: boot + duration.milliseconds, bootID: bootID)
    }
}

extension Duration {
    /// The duration in whole milliseconds, rounded towards zero.
    public var milliseconds: Int64 {
        let parts = components
        return parts.seconds * 1000 + parts.attoseconds / 1_000_000_000_000_000
    }
}
