import ArgumentParser
import FlowModel
import Foundation
import Tables
import Terminal

struct DueDate {
    /// The weekdays as users type them, in the order of the Gregorian calendar.
    private static let weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
    /// The maximum number of days or weeks in a relative date.
    private static let limit = 3650
    /// The calendar for typed dates, which uses the local time zone and does not depend on the locale.
    private static let calendar = Calendar(identifier: .gregorian)

    let value: TableValue

    /// Parses `none`, a day, a time in UTC, `today`, `tomorrow`, `+2d`, `+1w`, or a weekday.
    ///
    /// Relative dates start from `now`, in the local time zone. A weekday means the first such day after today.
    init(_ text: String, now: Date = Date()) throws {
        let word = text.lowercased()
        if word == "none" {
            value = .null
        } else if text.wholeMatch(of: /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})?Z/) != nil {
            value = .string(try Self.existing(text, text))
        } else if text.wholeMatch(of: /\d{4}-\d{2}-\d{2}/) != nil {
            value = .string(try Self.existing("\(text)T00:00:00.000Z", text))
        } else if let days = Self.days(word, now), let day = Self.calendar.date(byAdding: .day, value: days, to: now) {
            value = .string("\(Self.text(day))T00:00:00.000Z")
        } else {
            throw ValidationError(Text("cli.tasks.dates"))
        }
    }

    /// Returns `time`, or throws an error that quotes `typed` if the day does not exist, such as February 30.
    private static func existing(_ time: String, _ typed: String) throws -> String {
        guard TableDate.milliseconds(time) != nil else {
            throw ValidationError(Text("cli.tasks.noDay", ["text": typed]))
        }
        return time
    }

    private static func days(_ word: String, _ now: Date) -> Int? {
        if word == "today" { return 0 }
        if word == "tomorrow" { return 1 }
        if let match = word.wholeMatch(of: /\+(\d{1,4})([dw])/), let count = Int(match.1), count <= limit {
            return match.2 == "w" ? count * 7 : count
        }
        guard word.count >= 3, let wanted = weekdays.firstIndex(where: { $0.hasPrefix(word) }) else { return nil }
        let today = calendar.component(.weekday, from: now) - 1
        let days = (wanted - today + 7) % 7
        return days == 0 ? 7 : days
    }

    private static func text(_ day: Date) -> String {
        let parts = calendar.dateComponents([.year, .month, .day], from: day)
        return String(format: "%04d-%02d-%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0)
    }
}
