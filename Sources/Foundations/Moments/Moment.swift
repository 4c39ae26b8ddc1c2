public import Foundation

/// Moment by two clocks: the wall's, which people and tokens share and anybody may set, and the time since
/// boot, which nobody can.
public struct Moment: Hashable, Sendable {
    /// Milliseconds since 1970 UTC, as the wall clock says.
    public let wall: Int64
    /// Milliseconds since this boot, suspend included.
    public let boot: Int64
    /// Identifier of the boot that ``boot`` counts from.
    public let bootID: String

    /// A moment by both clocks.
    public init(wall: Int64, boot: Int64, bootID: String) {
        self.wall = wall
        self.boot = boot
        self.bootID = bootID
    }

    /// The wall clock as a date.
    public var date: Date { Date(timeIntervalSince1970: Double(wall) / 1000) }

    /// The wall clock in whole seconds since 1970 UTC, as `NumericDate` has it (RFC 7519 §2).
    public var seconds: Int64 { wall / 1000 }

    /// The moment that lies `duration` later by both clocks.
    public func advanced(by duration: Duration) -> Moment {
        Moment(wall: wall + duration.milliseconds, boot: boot + duration.milliseconds, bootID: bootID)
    }
}

extension Duration {
    /// Whole milliseconds, rounded down.
    public var milliseconds: Int64 {
        let parts = components
        return parts.seconds * 1000 + parts.attoseconds / 1_000_000_000_000_000
    }
}
