public import Foundation

/// A point in time, as shown by the wall clock, which can be changed, and by the time since boot.
public struct Moment: Hashable, Sendable {
    /// Milliseconds since 1970 UTC, according to the wall clock.
    public let wall: Int64
    /// Milliseconds since boot, including the time during which the machine was suspended.
    public let boot: Int64
    /// The id of the boot from which ``boot`` is measured.
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

    /// Returns this moment with both clocks moved forward by `duration`.
    public func advanced(by duration: Duration) -> Moment {
        Moment(wall: wall + duration.milliseconds, boot: boot + duration.milliseconds, bootID: bootID)
    }
}

extension Duration {
    /// The duration in whole milliseconds, rounded toward zero.
    public var milliseconds: Int64 {
        let parts = components
        return parts.seconds * 1000 + parts.attoseconds / 1_000_000_000_000_000
    }
}
