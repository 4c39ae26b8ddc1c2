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
        #expect(try #require(DueDate(argument: text)).value == value)
    }

    @Test("any other time is refused", arguments: ["tomorrow", "24.12.2026", "2026-12-24 18:00", ""])
    func noDue(_ text: String) {
        #expect(DueDate(argument: text) == nil)
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
