import ArgumentParser
import FlowModel
import Foundation
import Localization
import OAuth
import Tables
import TablesClient
import Terminal
import Testing

@testable import TasksCommands

@Suite(.timeLimit(.minutes(2)))
struct ListOptionsTests {
    private func query(_ arguments: String...) throws -> String {
        try ListOptions.parse(arguments).query().urlQuery()?.removingPercentEncoding ?? ""
    }

    @Test("without a filter the open tasks are requested, and with --all every task") func usual() throws {
        let usual = try query()
        #expect(
            usual.hasPrefix("$filter=") && usual.contains("complete eq false") && usual.contains("complete eq null")
        )
        #expect(try query("--all") == "")
    }

    @Test("every option is sent in the query") func options() throws {
        let text = try query(
            "--filter",
            "priority < 3 AND text CONTAINS 'milk'",
            "--sort",
            "due desc, text",
            "--columns",
            "text, due",
            "--limit",
            "10",
            "--offset",
            "5",
            "--count",
            "--deleted",
            "--param",
            "k=a=b",
            "--param",
            "k="
        )
        for part in [
            "$orderby=due desc,text", "$select=id,text,due", "$top=10", "$skip=5", "$inlinecount=allpages",
            "__includeDeleted=true", "k=a=b", "k=",
        ] {
            #expect(text.contains(part), "\(part) in \(text)")
        }
        #expect(text.contains("priority lt 3") && !text.contains("complete"))
    }

    @Test(
        "an unreadable value exits with 64, and the caret marks the error",
        arguments: [
            (["--filter", "priority << 3"], "priority << 3", 10), (["--filter", "text ="], "text =", 6),
            (["--sort", "due, desc desc desc"], "due, desc desc desc", 15),
            (["--columns", "text, te xt"], "text, te xt", 6), (["--columns", "a,"], "a,", 2),
            (["--columns", "text;due"], "text;due", 0),
        ]
    )
    func places(_ arguments: [String], _ text: String, _ position: Int) throws {
        let options = try ListOptions.parse(arguments)
        let failure = #expect(throws: CommandFailure.self) { try options.query() }
        #expect(failure?.status == .usage && failure?.excerpt == Excerpt(text, at: position))
    }

    @Test("a reserved parameter exits with 64", arguments: ["$top=1", "__x=1", "=1"]) func reserved(
        _ parameter: String
    ) throws {
        let options = try ListOptions.parse(["--param", parameter])
        let failure = #expect(throws: CommandFailure.self) { try options.query() }
        #expect(failure?.status == .usage)
    }

    @Test(
        "an empty option is refused",
        arguments: [["--param", "x"], ["--limit", "-1"]]
    )
    func refused(_ arguments: [String]) {
        let error = #expect(throws: (any Error).self) { try ListOptions.parse(arguments) }
        #expect(error.map(ListOptions.exitCode(for:)) == .validationFailure)
        #expect(error.map { ListOptions.message(for: $0).contains(arguments[0]) } == true)
    }

    @Test("an unknown column is shown at its position in the option") func unknownColumn() throws {
        let options = try ListOptions.parse(["--all", "--filter", "complete == NO AND duraton > 3"])
        var failure = CommandFailure(.failed, "refused", Text(exactly: "The table 'todoitem' has no column 'duraton'"))
        failure.facts["status"] = 400
        let located = options.located(failure)
        #expect(located.status == .usage && located.excerpt?.position == 19)
        failure.facts["status"] = 412
        #expect(options.located(failure) == failure)
    }

    @Test(
        "an unknown column is shown in its option, without the position in the sent query",
        arguments: [
            ("$orderby", ["--sort", "text desc, duraton"], "--sort", "text desc, duraton", 11),
            ("$select", ["--columns", "text, duraton"], "--columns", "text, duraton", 6),
            ("$orderby", ["--columns", "duraton", "--sort", "duraton"], "--sort", "duraton", 0),
        ] as [(String, [String], String, String, Int)]
    )
    func places(_ parameter: String, _ arguments: [String], _ option: String, _ typed: String, _ place: Int) throws {
        let options = try ListOptions.parse(["--all", "--filter", "duration > 3"] + arguments)
        var failure = CommandFailure(
            .failed,
            "refused",
            Text(
                "query.ofOptionAt",
                ["option": parameter, "text": Text("query.unknownColumn", ["name": "duraton"]), "position": 99]
            )
        )
        failure.facts["status"] = 400
        let located = options.located(failure)
        #expect(located.message == "\(option): There is no column 'duraton'")
        #expect(located.text.words(in: .german) == "\(option): Es gibt keine Spalte 'duraton'")
        #expect(located.excerpt == Excerpt(typed, at: place))
    }

    @Test(
        "an error names the typed option",
        arguments: [
            ("$filter", "--filter"), ("$orderby", "--sort"), ("$select", "--columns"), ("$top", "--limit"),
            ("$skip", "--offset"),
        ]
    )
    func typed(_ parameter: String, _ option: String) throws {
        let options = try ListOptions.parse(["--all", "--filter", "duraton > 3"])
        func ofOption(_ text: Text) -> Text { Text("query.ofOption", ["option": parameter, "text": text]) }
        var failure = CommandFailure(
            .failed,
            "refused",
            ofOption(Text("query.unknownColumn", ["name": "duraton"]))
        )
        failure.facts["status"] = 400
        #expect(options.located(failure).message == "\(option): There is no column 'duraton'")
        failure.text = ofOption(Text("query.statementTooLong"))
        #expect(options.located(failure).message == "\(option): is too long")
        #expect(options.located(failure).text.words(in: .german) == "\(option): ist zu lang")
    }

    @Test("an older API's error without a key is shown unchanged, at the position of its column")
    func olderAPI() throws {
        let options = try ListOptions.parse(["--all", "--filter", "duraton > 3"])
        let text = Text(exactly: "$filter: There is no column 'duraton' (at position 9)")
        var failure = CommandFailure(.failed, "refused", text)
        failure.facts["status"] = 400
        #expect(options.located(failure).text == text)
        #expect(options.located(failure).excerpt == Excerpt("duraton > 3", at: 0))
    }

    @Test("of the default columns the ones with values are printed") func emptyColumns() throws {
        let row = RemoteRow(id: try #require(RowID("a")), values: ["text": "milk", "priority": 2, "due": .null])
        let found = FoundTasks(items: [TodoItem(row: row)], count: nil)
        #expect(TaskList(found, columns: []).table.headings == ["ID", "PRIO", "TEXT"])
        #expect(TaskList(found, columns: ["due"]).table.headings == ["DUE"])
    }

    @Test("columns are shown in the requested order, in any case, in the table and in JSON") func columns() throws {
        let row = RemoteRow(id: try #require(RowID("a")), values: ["text": "milk", "priority": 2, "notes": .null])
        let found = FoundTasks(items: [TodoItem(row: row)], count: 7)
        let list = TaskList(found, columns: ["TEXT", "priority", "notes", "gone"])
        #expect(list.table.headings == ["TEXT", "PRIORITY", "NOTES", "GONE"])
        #expect(list.table.rows == [["milk", "2", "", ""]])
        let json: JSONValue = ["TEXT": "milk", "priority": 2, "notes": nil, "gone": nil]
        #expect(list.json == ["count": 7, "results": [json]])
    }

    @Test("an edit that a rule refuses is shown as the user typed it") func keeping() {
        var failure = CommandFailure(.failed, "refused", Text(exactly: "'priority' must be one of 1, 2, 3"))
        #expect(failure.keeping(["priority": 9], typed: ["x"]) == failure)
        failure.facts["status"] = 400
        let kept = failure.keeping(
            ["priority": 9],
            typed: ["/bin/tasks", "edit", "3f", "it's", "a b", "--priority", "9", ""]
        )
        #expect(kept.hint?.english.hasSuffix(#"tasks edit 3f 'it'\''s' 'a b' --priority 9 ''"#) == true)
        #expect(kept.facts["edit"] == ["priority": 9] && kept.status == failure.status)
    }
}
