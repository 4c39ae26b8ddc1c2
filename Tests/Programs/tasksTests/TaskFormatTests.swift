import FlowModel
import Foundation
import Localization
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
        #expect(tasks.count == 2 && tasks[1].reports.isEmpty)
        #expect(
            tasks[0].reports.map(\.english) == [
                "line 1: The date 2026-11-20 was not imported, because tasks have no creation or completion date."
            ]
        )
        #expect(tasks[0].values["text"] == "Call mum +family @home")
        #expect(tasks[0].values["complete"] == true)
        #expect(tasks[0].values["priority"] == 1)
        #expect(tasks[0].values["due"] == .date(1_795_305_600_000))
        #expect(tasks[1].values == ["text": "See http://a.b"])
    }

    @Test(
        "the start of a todo.txt line has a priority and dates in any order",
        arguments: [
            ("x 2026-11-20 2026-11-01 (B) Call", true, 2, "Call", 2), ("(C) 2026-11-01 Call", nil, 3, "Call", 1),
            ("2026-11-01 (A) Call", nil, 1, "Call", 1), ("x 2026-11-20 Call pri:B", true, 2, "Call", 1),
            ("(D) Call", nil, 3, "Call", 1), ("(Z) Call", nil, 3, "Call", 1), ("(a) Call", nil, nil, "(a) Call", 0),
            ("(A) (B) Call", nil, 1, "(B) Call", 0), ("2026-13-01 Call", nil, nil, "2026-13-01 Call", 0),
            ("X Call", nil, nil, "X Call", 0), ("xylophone", nil, nil, "xylophone", 0),
            ("2026-11-01 2026-12-24 Call", nil, nil, "2026-12-24 Call", 1),
        ] as [(String, Bool?, Double?, String, Int)]
    )
    func start(_ line: String, _ isComplete: Bool?, _ priority: Double?, _ text: String, _ reports: Int) throws {
        let task = try #require(try TaskFormat.todo.tasks(line).first)
        #expect(task.values["complete"] == isComplete.map { TableValue.boolean($0) })
        #expect(task.values["priority"] == priority.map { TableValue.number($0) })
        #expect(task.values["text"]?.string == text)
        #expect(task.reports.count == reports, "\(task.reports.map(\.english))")
    }

    @Test(
        "a key in a todo.txt line counts wherever it is, and other words stay in the text and are reported",
        arguments: [
            ("(A) Call Mom due:2026-12-24 +Family @phone", "Call Mom +Family @phone", "2026-12-24", []),
            ("due:2026-12-24 Call  Mom", "Call  Mom", "2026-12-24", []),
            ("Buy\tmilk\tdue:2026-12-24", "Buy\tmilk", "2026-12-24", []),
            ("Pay rent due:2026-12-01 rec:1m", "Pay rent rec:1m", "2026-12-01", ["rec:1m has an unknown key"]),
            ("Paint the fence id:1", "Paint the fence id:1", nil, ["id:1 has an unknown key"]),
            ("call Bob due:tomorrow", "call Bob due:tomorrow", nil, ["due:tomorrow is not valid"]),
            ("a due:2026-12-01 due:2026-12-02", "a due:2026-12-02", "2026-12-01", ["due:2026-12-02 is not valid"]),
            ("a pri:low due:2026-12-01", "a pri:low", "2026-12-01", ["pri:low is not valid"]),
            ("see https://a.b/?c:d at 10:30, due: now", "see https://a.b/?c:d at 10:30, due: now", nil, []),
        ] as [(String, String, String?, [String])]
    )
    func keys(_ line: String, _ text: String, _ due: String?, _ reports: [String]) throws {
        let task = try #require(try TaskFormat.todo.tasks(line).first)
        #expect(task.values["text"]?.string == text && task.id == nil)
        #expect(task.values["due"] == due.flatMap { TableDate.milliseconds($0) }.map { TableValue.date($0) })
        #expect(task.reports.count == reports.count)
        for (report, words) in zip(task.reports.map(\.english), reports) {
            #expect(report.hasPrefix("line 1: \(words)"), "\(report)")
        }
    }

    @Test("members of a JSON object that are not columns are reported, except those that an export adds") func members()
        throws
    {
        let plain = try item(["text": "a", "complete": false])
        #expect(try TaskFormat.json.tasks(TaskFormat.json.text([plain])).first?.reports == [])
        let json = #"[{"text":"a","colour":"red","deleted":true,"sync":"pending","place":null,"createdAt":"x"}]"#
        let reports = try #require(try TaskFormat.json.tasks(json).first).reports.map(\.english)
        #expect(reports.count == 1 && reports.first?.hasSuffix("columns: colour, deleted") == true, "\(reports)")
    }

    @Test("a byte order mark is skipped, and lines may end in CRLF", arguments: TaskFormat.allCases)
    func invisible(_ format: TaskFormat) throws {
        let items = [try item(["text": "Sleep", "complete": false, "due": .date(1_798_070_400_000)]), try item(whole)]
        let text = format == .todo ? format.text(items).replacing("\n", with: "\r\n") + "\r\n" : format.text(items)
        let tasks = try format.tasks(TaskFormat.decoded(Data("\u{FEFF}\(text)".utf8)))
        #expect(tasks.count == 2 && tasks.last?.values == whole && tasks.first?.values["text"] == "Sleep")
        let csv = try TaskFormat.csv.tasks("text,due\r\na,2026-12-24\r\n")
        #expect(csv.count == 1 && csv[0].values["due"] == .date(1_798_070_400_000))
    }

    @Test(
        "a file in another encoding is refused by the name of the encoding",
        arguments: [
            ("text\n", String.Encoding.utf16, "it is UTF-16; save it as UTF-8"),
            ("[]", .utf16LittleEndian, "it is UTF-16; save it as UTF-8"),
            ("text\n", .utf32, "it is UTF-32; save it as UTF-8"), ("größe\n", .isoLatin1, "it is not UTF-8"),
        ]
    )
    func encodings(_ text: String, _ encoding: String.Encoding, _ reason: String) throws {
        let bytes = try #require(text.data(using: encoding))
        let failure = #expect(throws: CommandFailure.self) { try TaskFormat.decoded(bytes) }
        #expect(failure?.message.contains(reason) == true, "\(failure?.message ?? "")")
    }

    @Test(
        "a file that violates its format is refused with the position",
        arguments: [
            (TaskFormat.json, "{}", "not a JSON array"), (.json, "[1]", "element 1"),
            (.json, #"[{"text":"a","due":"x"}]"#, "due in element 1"), (.csv, "id\n1", "no column named text"),
            (.csv, "text,notes,Text\na,b,c", "column text is repeated"),
            (.json, #"[{"table":"other","operation":"delete","id":"a"}]"#, "edit of another table: other"),
            (.csv, "text,colour\na,b", "colour"), (.csv, "text\na,b", "row 2"), (.csv, "text\n\"a", "unclosed"),
            (.csv, "text\na\"b", "inside a cell"), (.csv, "text,complete\na,maybe", "complete in row 2"),
            (.todo, "x \n", "line 1 has no text"), (.todo, "a\n(A) 2026-11-20\n", "line 2 has no text"),
            (.csv, "text;complete;due;priority\nBuy milk;FALSCH;24.12.2026;1\n", "separated by semicolons"),
            (.csv, "id\tText\n1\tMilk \"x\"\n", "separated by tabs"),
            (.csv, "sep=;\r\ntext;complete\r\nBuy milk;FALSCH\r\n", "separated by semicolons"),
            (.csv, "\"sep=\t\"\ntext\tcomplete\nBuy milk\tFALSCH\n", "separated by tabs"),
            (.json, #"[{"id":1,"description":"a","status":"pending","uuid":"u"}]"#, "export of Taskwarrior"),
            (.json, #"{"id":1,"description":"a","uuid":"u"}"#, "export of Taskwarrior"),
            (.json, "{\"description\":\"a\",\"uuid\":\"u\"}\n{\"description\":\"b\",\"uuid\":\"v\"}\n", "Taskwarrior"),
            (.json, "{\"description\":\"a\",\"uuid\":\"u\"},\n{\"description\":\"b\",\"uuid\":\"v\"}\n", "Taskwarrior"),
            (.json, "{\"text\":\"a\"}\n{\"text\":\"b\"}\n", "not a JSON array"),
            (.json, #"[{"text":"a"},{"text":""}]"#, "element 2 has no text"),
            (.json, #"[{"text":" \u00a0\n"}]"#, "element 1 has no text"),
            (.csv, "text,notes\n\"\",a\n", "row 2 has no text"), (.csv, "text,notes\n \t,a\n", "row 2 has no text"),
            (.todo, "(A) text:\"\"\n", "line 1 has no text"), (.todo, "a\ntext:%20%0A\n", "line 2 has no text"),
        ]
    ) func refused(_ format: TaskFormat, _ text: String, _ place: String) {
        let failure = #expect(throws: CommandFailure.self) { try format.tasks(text) }
        #expect(failure?.message.contains(place) == true, "\(failure?.message ?? "")")
    }

    @Test("a task of an export is imported with its id, even if its text is blank", arguments: TaskFormat.allCases)
    func blank(_ format: TaskFormat) throws {
        let items = try ["", " \n"].map { try item(["text": .string($0), "complete": false]) }
        #expect(try format.tasks(format.text(items)).map { $0.values["text"]?.string } == ["", " \n"])
    }

    @Test("each replaced value is reported with its column, except null, false and the values of a saved edit")
    func replacements() throws {
        let values: [String: TableValue] = ["text": "b", "complete": true, "due": .null, "notes": "n", "priority": 3]
        let old: [String: TableValue] = [
            "text": "a", "complete": false, "due": .date(1_798_070_400_000), "notes": .null, "priority": 2, "tags": "t",
        ]
        let row = RemoteRow(id: try #require(RowID("milk")), values: old)
        let task = ImportedTask(place: Text("cli.tasks.row", ["number": 2]))
        #expect(
            task.replacements(in: row, by: values).map(\.english) == [
                "row 2: The import replaced text of the task milk. The previous value: a",
                "row 2: The import replaced due of the task milk. The previous value: 2026-12-24T00:00:00.000Z",
                "row 2: The import replaced priority of the task milk. The previous value: 2",
            ]
        )
        let done = RemoteRow(id: row.id, values: ["complete": true])
        #expect(
            task.replacements(in: done, by: ["complete": false]).map(\.english) == [
                "row 2: The import replaced complete of the task milk. The previous value: true"
            ]
        )
        let edit = #"[{"table":"todoitem","operation":"update","id":"milk","item":{"id":"milk","text":"b"}}]"#
        let saved = try #require(try TaskFormat.json.tasks(edit).first)
        #expect(saved.saved != nil && saved.replacements(in: row, by: values).isEmpty)
    }

    @Test(
        "the file's name determines the format",
        arguments: [("a.csv", TaskFormat.csv), ("todo.txt", .todo), ("-", .json)]
    )
    func names(_ path: String, _ format: TaskFormat) {
        #expect(TaskFormat(path: path) == format)
    }
}
