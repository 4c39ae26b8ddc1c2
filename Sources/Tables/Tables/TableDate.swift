/// Formats and parses dates for the protocol's clients, in UTC with exactly three decimal places for the seconds.
public enum TableDate {
    /// The supported dates, from the year 1 to the year 9999, in milliseconds since 1970 UTC.
    public static let range: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999

    /// The parts of a date, in UTC.
    public struct Parts: Hashable, Sendable {
        /// The year in the Gregorian calendar.
        public let year: Int64
        /// The month, from 1 to 12.
        public let month: Int64
        /// The day of the month, from 1.
        public let day: Int64
        /// The hour, from 0 to 23.
        public let hour: Int64
        /// The minute, from 0 to 59.
        public let minute: Int64
        /// The second, from 0 to 59.
        public let second: Int64
        /// The millisecond, from 0 to 999.
        public let millisecond: Int64
    }

    /// Splits a date into its parts, after clamping it to ``range``.
    public static func parts(_ milliseconds: Int64) -> Parts {
        let milliseconds = min(max(milliseconds, range.lowerBound), range.upperBound)
        let days = floorDivide(milliseconds, 86_400_000)
        let rest = milliseconds - days * 86_400_000
        let (year, month, day) = civil(days)
        return Parts(
            year: year,
            month: month,
            day: day,
            hour: rest / 3_600_000,
            minute: rest / 60_000 % 60,
            second: rest / 1000 % 60,
            millisecond: rest % 1000
        )
    }

    /// Returns a date as `yyyy-MM-ddTHH:mm:ss.SSSZ`.
    public static func text(_ milliseconds: Int64) -> String {
        String(unsafeUninitializedCapacity: maxLength) { write(milliseconds, to: $0) }
    }

    /// The maximum number of bytes that ``write(_:to:)`` writes, which allows for a negative year with nine digits.
    package static let maxLength = 32

    /// Writes the same characters as ``text(_:)`` to `bytes` as UTF-8, and returns how many bytes it wrote.
    ///
    /// `bytes` must have space for ``maxLength`` bytes.
    package static func write(_ milliseconds: Int64, to bytes: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let days = floorDivide(milliseconds, 86_400_000)
        let rest = Int(milliseconds - days * 86_400_000)
        let (year, month, day) = civil(days)
        var end = 0
        func put(_ byte: UInt8) {
            bytes[end] = byte
            end += 1
        }
        func put(_ number: Int, _ separator: UInt8?) {
            put(0x30 + UInt8(truncatingIfNeeded: number / 10))
            put(0x30 + UInt8(truncatingIfNeeded: number % 10))
            if let separator { put(separator) }
        }
        if (0...9999).contains(year) {
            put(Int(year) / 100, nil)
            put(Int(year) % 100, nil)
        } else {
            for byte in String(year).utf8 { put(byte) }
        }
        put(UInt8(ascii: "-"))
        put(Int(month), UInt8(ascii: "-"))
        put(Int(day), UInt8(ascii: "T"))
        put(rest / 3_600_000, UInt8(ascii: ":"))
        put(rest / 60_000 % 60, UInt8(ascii: ":"))
        put(rest / 1000 % 60, UInt8(ascii: "."))
        put(0x30 + UInt8(truncatingIfNeeded: rest % 1000 / 100))
        put(rest % 100, UInt8(ascii: "Z"))
        return end
    }

    /// Parses a date with a time and an offset (RFC 3339), or a date alone, which means midnight in UTC.
    ///
    /// Digits beyond milliseconds are discarded. The result is `nil` for other formats and for dates outside ``range``.
    public static func milliseconds(_ text: String) -> Int64? { parse(text)?.milliseconds }

    /// Parses a date as ``milliseconds(_:)`` does, and also returns whether any discarded digit is not zero.
    static func parse(_ text: String) -> (milliseconds: Int64, isTruncated: Bool)? {
        var scanner = Scanner(text)
        guard let year = scanner.digits(4), scanner.skip("-"), let month = scanner.digits(2), scanner.skip("-"),
            let day = scanner.digits(2), year > 0, (1...12).contains(month), day > 0, day <= length(month, year)
        else { return nil }
        let midnight = daysSince1970(year, month, day) * 86_400_000
        if scanner.isAtEnd { return (midnight, false) }
        guard scanner.skip("T") || scanner.skip("t"), let hour = scanner.digits(2), scanner.skip(":"),
            let minute = scanner.digits(2), hour < 24, minute < 60
        else { return nil }
        var seconds: Int64 = 0
        var fraction = (milliseconds: Int64(0), isTruncated: false)
        if scanner.skip(":") {
            guard let value = scanner.digits(2), value < 60 else { return nil }
            seconds = value
            if scanner.skip(".") {
                guard let value = scanner.fraction() else { return nil }
                fraction = value
            }
        }
        guard let offset = scanner.offset(), scanner.isAtEnd else { return nil }
        let time = midnight + (hour * 60 + minute - offset) * 60_000 + seconds * 1000 + fraction.milliseconds
        return range.contains(time) ? (time, fraction.isTruncated) : nil
    }

    private struct Scanner {
        private let bytes: [UInt8]
        private var at = 0

        init(_ text: String) {
            bytes = Array(text.utf8)
        }

        var isAtEnd: Bool { at == bytes.count }

        mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard at < bytes.count, bytes[at] == UInt8(ascii: character) else { return false }
            at += 1
            return true
        }

        mutating func digits(_ count: Int) -> Int64? {
            var number: Int64 = 0
            for _ in 0..<count {
                guard let digit = digit() else { return nil }
                number = number * 10 + digit
            }
            return number
        }

        mutating func fraction() -> (milliseconds: Int64, isTruncated: Bool)? {
            var isTruncated = false
            var milliseconds: Int64 = 0
            var unit: Int64 = 100
            var count = 0
            while let digit = digit() {
                if unit == 0, digit > 0 { isTruncated = true }
                milliseconds += digit * unit
                unit /= 10
                count += 1
            }
            return (1...9).contains(count) ? (milliseconds, isTruncated) : nil
        }

        private mutating func digit() -> Int64? {
            guard at < bytes.count, (0x30...0x39).contains(bytes[at]) else { return nil }
            defer { at += 1 }
            return Int64(bytes[at] - 0x30)
        }

        mutating func offset() -> Int64? {
            if skip("Z") || skip("z") { return 0 }
            let sign: Int64 = skip("+") ? 1 : skip("-") ? -1 : 0
            guard sign != 0, let hours = digits(2), skip(":"), let minutes = digits(2), hours < 24, minutes < 60 else {
                return nil
            }
            return sign * (hours * 60 + minutes)
        }
    }

    private static func length(_ month: Int64, _ year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Returns the days from 1970-01-01 to a Gregorian date, counting years from March so that leap days come last.
    private static func daysSince1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = floorDivide(shifted, 400)
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func civil(_ days: Int64) -> (Int64, Int64, Int64) {
        let shifted = days + 719_468
        let era = floorDivide(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    private static func floorDivide(_ a: Int64, _ b: Int64) -> Int64 {
        a >= 0 ? a / b : -((b - 1 - a) / b)
    }
}
