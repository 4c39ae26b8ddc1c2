import Tables
import TablesClient
import Terminal
import Testing

@testable import TasksCommands

@Suite(.timeLimit(.minutes(1)))
struct TaskFormatTests {
    private func item(_ values: [String: TableValue], id: String = "1f0c") throws -> TodoItem {
        TodoItem(row: RemoteRow(id: try #require(RowID(id)), values: values))
    }

    private let whole: [String: TableValue] = [
        "text": "Buy \"oat\" milk, two", "complete": true, "priority": 2, "due": .date(1_798_070_400_000),
        "notes": "50 %\nfrom the shop", "tags": "shop home", "duration": 1.5,
    ]

    @Test("an export is imported unchanged", arguments: TaskFormat.allCases)
    func roundTrip(_ format: TaskFormat) throws {
        let text = format.text([try item(whole), try item(["text": "Sleep", "complete": false], id: "2")])
        let tasks = try format.tasks(text)
        #expect(tasks.map { $0.id?.text } == ["1f0c", "2"])
        #expect(tasks.first?.values == whole)
        #expect(tasks.last?.values["text"] == "Sleep")
    }

    @Test("a todo.txt line of other programs is read") func todo() throws {
        let tasks = try TaskFormat.todo.tasks(
            "x (A) 2026-11-20 Call mum +family @home due:2026-11-22\n\nSee http://a.b\n"
        )
        #expect(tasks.count == 2)
        #expect(tasks[0].values["text"] == "Call mum +family @home")
        #expect(tasks[0].values["complete"] == true)
        #expect(tasks[0].values["priority"] == 1)
        #expect(tasks[0].values["due"] == .date(1_795_305_600_000))
        #expect(tasks[1].values == ["text": "See http://a.b"])
    }

    @Test(
        "a file that violates its format is refused with the position",
        arguments: [
            (TaskFormat.json, "{}", "not a JSON array"), (.json, "[1]", "element 1"),
            (.json, #"[{"text":"a","due":"x"}]"#, "due in element 1"), (.csv, "id\n1", "no column named text"),
            (.csv, "text,colour\na,b", "colour"), (.csv, "text\na,b", "row 2"), (.csv, "text\n\"a", "unclosed"),
            (.csv, "text\na\"b", "inside a cell"), (.csv, "text,complete\na,maybe", "complete in row 2"),
            (.todo, "x \n", "line 1 has no text"), (.todo, "a due:never", "due in line 1"),
        ]
    ) func refused(_ format: TaskFormat, _ text: String, _ place: String) {
        let failure = #expect(throws: CommandFailure.self) { try format.tasks(text) }
        #expect(failure?.message.contains(place) == true, "\(failure?.message ?? "")")
    }

    @Test(
        "the file's name determines the format",
        arguments: [("a.csv", TaskFormat.csv), ("todo.txt", .todo), ("-", .json)]
    )
    func names(_ path: String, _ format: TaskFormat) {
        #expect(TaskFormat(path: path) == format)
    }
}
