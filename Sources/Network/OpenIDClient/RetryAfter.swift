import Foundation
import Moments

/// The `Retry-After` field of an answer: the pause that a server asks for (RFC 9110 §10.2.3).
enum RetryAfter {
    /// The longest pause that a server may ask for, in seconds.
    static let longest: Int64 = 600

    /// Reads the field.
    ///
    /// - Parameters:
    ///   - field: Seconds, or a date.
    ///   - now: The time.
    /// - Returns: The pause, at most ``longest``; nil if there is none, it is over, or the field is neither.
    static func pause(_ field: String?, at now: Moment) -> Duration? {
        guard let field, let seconds = delay(field) ?? date(field).map({ $0 - now.seconds }), seconds > 0 else {
            return nil
        }
        return .seconds(min(seconds, longest))
    }

    /// Reads `delay-seconds`: digits and nothing else, of whatever number.
    private static func delay(_ text: String) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(text) ?? .max
    }

    /// The date that servers send, then the two that old ones do (RFC 9110 §5.6.7).
    private static let forms = [
        "EEE, dd MMM yyyy HH:mm:ss 'GMT'", "EEEE, dd-MMM-yy HH:mm:ss 'GMT'", "EEE MMM d HH:mm:ss yyyy",
    ]

    /// The seconds since 1970 UTC of a date.
    private static func date(_ text: String) -> Int64? {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        for form in forms {
            formatter.dateFormat = form
            if let date = formatter.date(from: text.replacing("  ", with: " ")) {
                return Int64(date.timeIntervalSince1970)
            }
        }
        return nil
    }
}
