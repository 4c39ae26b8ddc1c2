import ArgumentParser
import Foundation
import Tables
import Testing

@testable import TasksCommands

@Suite(.timeLimit(.minutes(2)))
struct TaskFieldsTests {
    @Test(
        "a day, a time, or none",
        arguments: [
            ("2026-12-24", TableValue.string("2026-12-24T00:00:00.000Z")),
            ("2026-12-24T18:00:00Z", .string("2026-12-24T18:00:00Z")), ("none", .null),
        ]
    )
    func due(_ text: String, _ value: TableValue) throws {
        #expect(try DueDate(text).value == value)
    }

    @Test(
        "words count from today; a weekday is the next of its name",
        arguments: [
            ("today", "2026-11-20"), ("tomorrow", "2026-11-21"), ("+2d", "2026-11-22"), ("+1w", "2026-11-27"),
            ("saturday", "2026-11-21"), ("Sun", "2026-11-22"), ("friday", "2026-11-27"), ("+12d", "2026-12-02"),
        ]
    )
    func words(_ text: String, _ day: String) throws {
        let parts = DateComponents(year: 2026, month: 11, day: 20, hour: 12)
        let friday = try #require(Calendar(identifier: .gregorian).date(from: parts))
        #expect(try DueDate(text, now: friday).value == .string("\(day)T00:00:00.000Z"))
    }

    @Test(
        "anything else is refused, and how dates are written is said",
        arguments: ["yesterday", "24.12.2026", "2026-12-24 18:00", "", "+2", "+99999d", "fr"]
    )
    func noDue(_ text: String) {
        let error = #expect(throws: ValidationError.self) { try DueDate(text) }
        #expect(error?.message.contains("2026-12-24T18:00:00Z, today, tomorrow, +2d") == true)
    }

    @Test("an empty text removes notes and tags, and the word none is one of them") func notes() throws {
        let fields = try TaskFields.parse(["--notes", "none", "--tags", ""])
        #expect(fields.values == ["notes": .string("none"), "tags": .null])
    }

    @Test(
        "a number is finite, or none",
        arguments: [("3", TableValue.number(3)), ("1.5", .number(1.5)), ("none", .null)]
    )
    func number(_ text: String, _ value: TableValue) throws {
        #expect(try #require(NumberOrNone(argument: text)).value == value)
    }

    @Test("what is no number is refused", arguments: ["", "x", "inf", "nan"]) func noNumber(_ text: String) {
        #expect(NumberOrNone(argument: text) == nil)
    }
}
