import ArgumentParser
import FlowModel
import Foundation
import Localization
import Tables
import Testing

@testable import TasksCommands

@Suite(.timeLimit(.minutes(2)))
struct TaskFieldsTests {
    @Test(
        "a due date is a day, a time, or none",
        arguments: [
            ("2026-12-24", TableValue.string("2026-12-24T00:00:00.000Z")),
            ("2026-12-24T18:00:00Z", .string("2026-12-24T18:00:00Z")), ("none", .null),
        ]
    )
    func due(_ text: String, _ value: TableValue) throws {
        #expect(try DueDate(text).value == value)
    }

    @Test(
        "relative dates count from today, and a weekday is the next one of that name",
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
        "any other date is refused, and the formats are named",
        arguments: ["yesterday", "24.12.2026", "2026-12-24 18:00", "", "+2", "+99999d", "fr"]
    )
    func noDue(_ text: String) {
        let error = #expect(throws: ValidationError.self) { try DueDate(text) }
        #expect(error?.message.contains("2026-12-24T18:00:00Z, today, tomorrow, an offset such as +2d") == true)
    }

    @Test(
        "an impossible date is refused",
        arguments: ["2026-02-30", "2026-13-01", "2026-02-29T10:00:00Z", "2026-02-28T25:00:00Z"]
    )
    func noDay(_ text: String) {
        let error = #expect(throws: ValidationError.self) { try DueDate(text) }
        #expect(error?.message == "--due \(text): This date does not exist.")
    }

    @Test("a task's priority is 1, 2, 3 or none", arguments: ["0", "9", "1.5"]) func noPriority(_ text: String) throws {
        let error = #expect(throws: (any Error).self) { try Add.parse(["x", "--priority", text]) }
        #expect(error.map { Add.message(for: $0) } == "The option --priority must be 1, 2, 3 or none.")
        let other = #expect(throws: (any Error).self) { try Edit.parse(["x", "--priority", text]) }
        #expect(other.map { Edit.message(for: $0) } == "The option --priority must be 1, 2, 3 or none.")
        #expect(try TaskFields.parse(["--priority", "3"]).values == ["priority": .number(3)])
        #expect(try TaskFields.parse(["--priority", "none"]).values == ["priority": .null])
    }

    @Test("edits are counted in singular and plural", arguments: [1, 2]) func numbers(_ count: Int) {
        let edits = count == 1 ? "1 edit has" : "2 edits have"
        #expect(Text("cli.tasks.unsent", ["count": count]).english.hasPrefix("\(edits) not been sent to the API yet"))
        let question = Text("cli.tasks.sendFirst", ["count": count]).english
        #expect(question.hasPrefix("\(edits) not been sent to the API yet. Send "))
        #expect(
            Text("cli.tasks.undecidedNote", ["count": count]).english.hasSuffix(
                count == 1 ? "to see it." : "to see them."
            )
        )
        let german = Text("cli.tasks.unsent", ["count": count]).words(in: .german)
        #expect(german.hasPrefix(count == 1 ? "1 Änderung hat" : "2 Änderungen hat"))
    }

    @Test("an empty text removes notes and tags, and the word none is an ordinary text") func notes() throws {
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

    @Test("a text that is no number is refused", arguments: ["", "x", "inf", "nan"]) func noNumber(_ text: String) {
        #expect(NumberOrNone(argument: text) == nil)
    }
}
