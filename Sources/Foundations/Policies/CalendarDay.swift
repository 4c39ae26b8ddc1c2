/// A day of the Gregorian calendar, written `yyyy-MM-dd` (RFC 3339 §5.6, `full-date`).
public struct CalendarDay: Hashable, Sendable, Codable, Comparable, CustomStringConvertible {
    /// The day as `yyyy-MM-dd`, so that the alphabetical order is chronological.
    public let description: String

    /// Parses a day written `yyyy-MM-dd`, or returns `nil` if the string has another form or the day does not exist.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 10, bytes[4] == 0x2D, bytes[7] == 0x2D,
            let year = Self.number(bytes[0..<4]), let month = Self.number(bytes[5..<7]),
            let day = Self.number(bytes[8..<10]), year > 0, (1...12).contains(month),
            (1...Self.days(inMonth: month, of: year)).contains(day)
        else { return nil }
        description = text
    }

    /// Creates the day in UTC that contains the given time, limited to the years 1 to 9999.
    public init(secondsSince1970 seconds: Int64) {
        let days = seconds / 86_400 - (seconds % 86_400 < 0 ? 1 : 0)
        var left = Int(max(-719_162, min(2_932_896, days)))
        var year = 1970
        while left < 0 {
            year -= 1
            left += Self.days(inYear: year)
        }
        while left >= Self.days(inYear: year) {
            left -= Self.days(inYear: year)
            year += 1
        }
        var (month, day) = (1, left)
        while day >= Self.days(inMonth: month, of: year) {
            day -= Self.days(inMonth: month, of: year)
            month += 1
        }
        description = "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(day + 1, 2))"
    }

    /// Whether the day `a` is earlier than the day `b`.
    public static func < (a: Self, b: Self) -> Bool { a.description < b.description }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        digits.allSatisfy { (0x30...0x39).contains($0) } ? digits.reduce(0) { $0 * 10 + Int($1) - 0x30 } : nil
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    private static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    private static func days(inYear year: Int) -> Int { isLeap(year) ? 366 : 365 }

    private static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
