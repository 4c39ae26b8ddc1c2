import Foundation
import Synchronization

/// Formats dates for HTTP header fields (RFC 9110 §5.6.7).
enum HTTPDate {
    /// The current date as an IMF-fixdate, which is formatted at most once per second.
    static var now: String {
        let seconds = time(nil)
        return last.withLock { last in
            if last.seconds != seconds { last = (seconds, text(Date(timeIntervalSince1970: Double(seconds)))) }
            return last.text
        }
    }

    private static let last = Mutex((seconds: time_t.min, text: ""))

    static func text(_ date: Date) -> String {
        var seconds = time_t(date.timeIntervalSince1970)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map(twoDigits).joined(separator: ":")
        let day = twoDigits(parts.tm_mday)
        return "\(days[Int(parts.tm_wday)]), \(day) \(months[Int(parts.tm_mon)]) \(parts.tm_year + 1900) \(clock) GMT"
    }

    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static func twoDigits(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
