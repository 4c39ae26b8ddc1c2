public import ArgumentParser

/// A duration as users type it, such as `90`, `90s`, `15m`, `2h` or `7d`.
public struct DurationText: ExpressibleByArgument, Hashable, Sendable {
    /// The maximum duration in seconds, which is ten years.
    public static let limit: Int64 = 315_360_000
    /// The duration in whole seconds.
    public let seconds: Int64

    /// The duration in milliseconds.
    public var milliseconds: Int64 { seconds * 1000 }

    /// Parses digits with an optional unit, by default seconds, or returns `nil` if invalid or over ``limit``.
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
