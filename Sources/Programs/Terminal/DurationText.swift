public import ArgumentParser

/// A length of time as people write it: `90`, `90s`, `15m`, `2h`, `7d`.
public struct DurationText: ExpressibleByArgument, Hashable, Sendable {
    /// The greatest length that is taken, in seconds: ten years.
    public static let limit: Int64 = 315_360_000
    /// Whole seconds.
    public let seconds: Int64

    /// Milliseconds.
    public var milliseconds: Int64 { seconds * 1000 }

    /// Reads digits and at most one unit; without one they are seconds.
    public init?(argument: String) {
        var digits = argument[...]
        var unit: Int64 = 1
        switch argument.last {
        case "s": digits = digits.dropLast()
        case "m": (unit, digits) = (60, digits.dropLast())
        case "h": (unit, digits) = (3600, digits.dropLast())
        case "d": (unit, digits) = (86400, digits.dropLast())
        default: break
        }
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(digits) else {
            return nil
        }
        let (seconds, overflow) = number.multipliedReportingOverflow(by: unit)
        guard !overflow, seconds <= Self.limit else { return nil }
        self.seconds = seconds
    }
}
