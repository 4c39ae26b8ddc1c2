import Foundation

/// Formats times for users.
public enum TimeText {
    /// Formats a time, in milliseconds since 1970 UTC, in the form `2026-11-21 09:30:00Z`.
    public static func utc(_ milliseconds: Int64) -> String {
        let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
        return date.formatted(
            .iso8601.year().month().day().dateSeparator(.dash).dateTimeSeparator(.space)
                .time(includingFractionalSeconds: false).timeSeparator(.colon).timeZone(separator: .omitted)
        )
    }
}
