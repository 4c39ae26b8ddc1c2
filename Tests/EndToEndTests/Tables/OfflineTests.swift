import Foundation
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// Tests the task list while the API is unavailable, with the built programs.
@Suite(.timeLimit(.minutes(10)))
struct OfflineTests {
    private func ok(_ outcome: BuiltProgram.Outcome) -> String {
        #expect(outcome.status == 0, "\(outcome.errors)")
        return outcome.output
    }

    private func json(_ outcome: BuiltProgram.Outcome) throws -> JSONValue {
        try StrictJSON.parse(Array(ok(outcome).utf8), integers: .orFloating)
    }

    /// Requests the tasks from the API without the program `tasks`, and returns their texts.
    private func served(_ machine: Machine) async throws -> [String] {
        let token = try machine.tokenbroker(["token", "--client", "tasks-cli", "--scope", "tasks.read"])
        let answer = try await WebAnswer.to(
            .GET,
            "\(machine.api)/tables/todoitem",
            token: token.output.trimmingCharacters(in: .newlines)
        )
        return answer.json?.array?.compactMap { $0["text"]?.string }.sorted() ?? []
    }

    private func end(_ programs: RunningProgram...) {
        for program in programs {
            program.signal(SIGTERM)
            #expect(program.wait() == 0)
        }
    }

    @Test("pending edits are shown in every locale") func languages() throws {
        let machine = try Machine()
        let broker = try machine.startBroker()
        try machine.signUp(.random())
        for (number, locale) in ["C", "de_DE.UTF-8", "en_US.UTF-8", "C"].enumerated() {
            let here = ["LC_ALL": locale]
            _ = try ok(machine.tasks(["add", "In \(locale)", "--offline"], environment: here))
            let status = try machine.tasks(["status", "--json"], environment: here)
            #expect(try json(status)["pending"]?.array?.count == number + 1)
            #expect(status.errors == "")
        }
        end(broker)
    }

    @Test("edits made while the API is unavailable are pending, are shown as such, and arrive by sync") func away()
        async throws
    {
        let machine = try Machine()
        let broker = try machine.startBroker()
        var api = try machine.startTasks()
        try machine.signUp(.random())
        _ = try ok(machine.tasks(["add", "Buy milk", "--id", "milk"]))
        end(api)

        #expect(try ok(machine.tasks(["add", "Call mum", "--id", "mum"])).contains("Added mum"))
        _ = try ok(machine.tasks(["done", "milk"]))
        let list = try ok(machine.tasks(["list", "--all"]))
        #expect(list.contains("done, pending") && list.contains("Call mum"), "\(list)")
        let status = try json(machine.tasks(["status", "--json"]))
        #expect(status["pending"]?.array?.map { $0["id"] } == ["mum", "milk"])
        #expect(status["pending"]?.array?.map { $0["operation"] } == ["insert", "update"])
        let away = try machine.tasks(["sync"])
        #expect(away.status == 75, "\(away.errors)")

        api = try machine.startTasks()
        #expect(try await served(machine) == ["Buy milk"])
        let report = try json(machine.tasks(["sync", "--json"]))
        #expect(report["sent"] == 2)
        #expect(try await served(machine) == ["Buy milk", "Call mum"])
        #expect(try ok(machine.tasks(["status"])) == "No edits are waiting. The server has all your changes.\n")
        end(api, broker)
    }

    @Test("a damaged store is created again, and `import` applies the saved edits") func damaged()
        async throws
    {
        let machine = try Machine()
        let broker = try machine.startBroker()
        let api = try machine.startTasks()
        try machine.signUp(.random())
        let tasks = (0..<40).map { "{\"id\":\"t\($0)\",\"text\":\"Task \($0)\"}" }.joined(separator: ",")
        let file = machine.folder.path("tasks.json")
        try Data("[\(tasks)]".utf8).write(to: URL(fileURLWithPath: file))
        _ = try ok(machine.tasks(["import", file]))
        _ = try ok(machine.tasks(["add", "Waiting", "--id", "waiting", "--offline"]))
        _ = try ok(machine.tasks(["edit", "t1", "Changed", "--offline"]))
        _ = try ok(machine.tasks(["delete", "t2", "--offline"]))
        let files = FileManager.default
        let data = machine.folder.path("data")
        let name = try #require(files.subpathsOfDirectory(atPath: data).first { $0.hasSuffix("store.sqlite") })
        let store = URL(fileURLWithPath: "\(data)/\(name)")
        let bytes = try Data(contentsOf: store)
        let noise = Data((0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 91) })
        var saved: String?
        // The rows are at the end of the file. Opening the store does not detect damage to them.
        for page in (1..<bytes.count / 4096).reversed() where saved == nil {
            var damaged = bytes
            damaged.replaceSubrange(page * 4096..<(page + 1) * 4096, with: noise)
            try damaged.write(to: store)
            let outcome = try machine.tasks(["list", "--offline"])
            #expect(outcome.status == 0, "page \(page + 1): \(outcome.errors)")
            let found = outcome.errors.firstMatch(of: /edits saved: 3\. To apply them, run `tasks import (\S+)`/)
            saved = found.map { String($0.1) }
        }
        let edits = try #require(saved)
        let device = try ["--data-directory", machine.folder.path("other"), "--account", account(machine)]
        // Another device changes the same task as the saved edit.
        _ = try ok(machine.tasks(["edit", "t1", "Theirs"] + device))
        let refused = try machine.tasks(["import", edits])
        #expect(refused.status == 1, "\(refused)")
        #expect(refused.output.contains("Tasks in the file: 3 (1 added, 1 changed)"), "\(refused)")
        #expect(refused.output.contains("Changed") && refused.output.contains("Theirs"), "\(refused.output)")
        #expect(try ok(machine.tasks(["status"])) == "No edits are waiting. The server has all your changes.\n")
        let before = try await served(machine)
        #expect(before.contains("Theirs") && before.contains("Waiting") && !before.contains("Task 2"), "\(before)")
        // The saved edit applies once the task has the text on which the edit was based.
        _ = try ok(machine.tasks(["edit", "t1", "Task 1"] + device))
        #expect(try ok(machine.tasks(["import", edits])).contains("Tasks in the file: 3 (0 added, 1 changed)"))
        let now = try await served(machine)
        #expect(
            now.count == 40 && now.contains("Waiting") && now.contains("Changed") && !now.contains("Task 2"),
            "\(now)"
        )
        end(api, broker)
    }

    @Test("pending edits survive a restore of the broker and are sent after the next sign-in") func restored()
        async throws
    {
        let machine = try Machine()
        let broker = try machine.startBroker()
        let api = try machine.startTasks()
        let (person, backup) = (Person.random(), machine.folder.path("backup"))
        try machine.signUp(person)
        _ = try ok(machine.tasks(["add", "Before", "--id", "before"]))
        _ = try ok(machine.tasks(["add", "Waiting", "--id", "waiting", "--offline"]))
        _ = try ok(machine.tokenbroker(["backup", backup]))
        _ = try ok(machine.tasks(["add", "Later", "--id", "later", "--offline"]))
        end(broker)
        _ = try ok(machine.tokenbroker(["restore", backup, "--state-directory", machine.state]))

        let again = try machine.startBroker()
        let shown = try machine.atTerminal(
            "tasks",
            ["status"] + machine.tasksArguments,
            answers: ["E-mail=\(person.email)", "Password=\(person.password)"]
        )
        #expect(shown.status == 0 && shown.output.contains("waiting"), "\(shown.output)")
        #expect(try json(machine.tasks(["sync", "--json"]))["sent"] == 2)
        #expect(try await served(machine) == ["Before", "Later", "Waiting"])
        end(api, again)
    }

    @Test("a backup restored on another machine has the users, and no key of the first machine's stores")
    func restoredElsewhere() throws {
        let (first, second) = (try Machine(), try Machine())
        let (person, backup) = (Person.random(), first.folder.path("backup"))
        let broker = try first.startBroker()
        try first.signUp(person)
        _ = try ok(first.tasks(["add", "Waiting", "--id", "waiting", "--offline"]))
        _ = try ok(first.tokenbroker(["backup", backup]))
        // The second machine creates its own cache and cache key. The authority's key and the data of `tasks`
        // are copied from the first machine.
        end(try second.startBroker())
        let files = FileManager.default
        try files.removeItem(atPath: second.state + "/authority-key")
        try files.copyItem(atPath: first.state + "/authority-key", toPath: second.state + "/authority-key")
        _ = try ok(second.tokenbroker(["restore", backup, "--state-directory", second.state]))
        try files.copyItem(atPath: first.folder.path("data"), toPath: second.folder.path("data"))

        let elsewhere = try second.startBroker()
        let signedIn = try second.atTerminal(
            "tasks",
            ["status"] + second.tasksArguments,
            answers: ["E-mail=\(person.email)", "Password=\(person.password)"]
        )
        #expect(
            signedIn.status == 0 && signedIn.output.contains("No edits are waiting. The server has all your changes."),
            "\(signedIn.output)"
        )
        _ = try ok(second.tasks(["add", "Here", "--id", "here", "--offline"]))
        #expect(try json(second.tasks(["status", "--json"]))["pending"]?.array?.map { $0["id"] } == ["here"])
        end(elsewhere)
        // The first machine still has its own store and the store's key.
        #expect(try json(first.tasks(["status", "--json"]))["pending"]?.array?.map { $0["id"] } == ["waiting"])
        end(broker)
    }

    @Test("pending edits are sealed and survive a kill of the client, and a missing broker is 69") func kept()
        async throws
    {
        let machine = try Machine()
        let broker = try machine.startBroker()
        let api = try machine.startTasks()
        try machine.signUp(.random())
        _ = try ok(machine.tasks(["list"]))
        _ = try ok(machine.tasks(["add", "planted secret", "--offline"]))
        #expect(try await served(machine) == [])
        let stores = machine.folder.path("data/stores")
        var sizes: [String: Int] = [:]
        for account in try FileManager.default.contentsOfDirectory(atPath: stores) {
            for file in try FileManager.default.contentsOfDirectory(atPath: "\(stores)/\(account)") {
                let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(stores)/\(account)/\(file)"))
                sizes[file] = bytes.count
                #expect(bytes.range(of: Data("planted secret".utf8)) == nil, "\(file)")
            }
        }
        #expect(sizes.contains { $0.key.contains(".sqlite") && $0.value > 0 }, "\(sizes)")
        let manual = try machine.tasks(["list", "--json"], environment: ["TASKS_SYNC": "manual"])
        #expect(try json(manual).array?.first?["sync"] == "pending")
        #expect(try machine.tasks(["list"], environment: ["TASKS_SYNC": "never"]).status == 64)
        end(broker)
        #expect(try machine.tasks(["list", "--offline"]).status == 69)
        end(api)
    }

    @Test("two changes of one task are shown side by side, and the decision applies to both") func conflict()
        async throws
    {
        let machine = try Machine()
        let broker = try machine.startBroker()
        let api = try machine.startTasks()
        try machine.signUp(.random())
        _ = try ok(machine.tasks(["add", "Buy milk", "--id", "milk"]))
        let other = machine.folder.path("other")
        for (mine, decision) in [("Buy oat milk", "--mine"), ("Buy soy milk", "--theirs")] {
            _ = try ok(machine.tasks(["edit", "milk", mine, "--offline"]))
            // Another device of the same user edits the task.
            _ = try ok(
                machine.tasks([
                    "edit", "milk", "Buy cow milk \(decision)", "--data-directory", other, "--account",
                    account(machine),
                ])
            )
            let sync = try machine.tasks(["sync"])
            #expect(sync.status == 1, "\(sync.output)\(sync.errors)")
            let shown = try json(machine.tasks(["conflicts", "--json"])).array?.first
            #expect(shown?["mine"]?["text"]?.string == mine)
            #expect(shown?["theirs"]?["text"]?.string == "Buy cow milk \(decision)")
            #expect(try ok(machine.tasks(["conflicts"])).contains("MINE"))
            _ = try ok(machine.tasks(["resolve", "milk", decision]))
            let expected = decision == "--mine" ? mine : "Buy cow milk \(decision)"
            #expect(try await served(machine) == [expected])
            #expect(try ok(machine.tasks(["list"])).contains(expected))
        }
        end(api, broker)
    }

    @Test("a decision applies to the conflict that was shown, and a newer one is shown first") func decisions()
        async throws
    {
        let machine = try Machine()
        let broker = try machine.startBroker()
        let api = try machine.startTasks()
        try machine.signUp(.random())
        _ = try ok(machine.tasks(["add", "Buy milk", "--id", "milk"]))
        let device = try ["--data-directory", machine.folder.path("other"), "--account", account(machine)]
        func theirs(_ text: String) throws { _ = try ok(machine.tasks(["edit", "milk", text] + device)) }
        _ = try ok(machine.tasks(["edit", "milk", "Buy oat milk", "--offline"]))
        try theirs("Buy cow milk")
        // `sync` does not count as showing the conflict, since its output goes to a log when a timer runs it.
        #expect(try machine.tasks(["sync"]).status == 1)
        let unseen = try machine.tasks(["resolve", "milk", "--mine"])
        #expect(unseen.status == 1 && unseen.output.contains("Buy cow milk"), "\(unseen.output)\(unseen.errors)")
        #expect(try await served(machine) == ["Buy cow milk"])
        // The API has a newer version than the version that was shown.
        try theirs("Buy goat milk")
        let first = try machine.tasks(["resolve", "milk", "--mine"])
        #expect(first.status == 1 && first.output.contains("Buy goat milk"), "\(first.output)\(first.errors)")
        #expect(try await served(machine) == ["Buy goat milk"])
        // The command `list` finds the next version and does not show it.
        try theirs("Buy sheep milk")
        _ = try ok(machine.tasks(["list"]))
        let second = try machine.tasks(["resolve", "milk", "--mine"])
        #expect(second.status == 1 && second.output.contains("Buy sheep milk"), "\(second.output)\(second.errors)")
        #expect(try await served(machine) == ["Buy sheep milk"])
        // The command `edit` finds a version that was never shown.
        try theirs("Buy horse milk")
        #expect(try machine.tasks(["edit", "milk", "Buy rice milk"]).status == 1)
        let third = try machine.tasks(["resolve", "milk", "--mine"])
        #expect(third.status == 1 && third.output.contains("Buy horse milk"), "\(third.output)\(third.errors)")
        #expect(try await served(machine) == ["Buy horse milk"])
        _ = try ok(machine.tasks(["resolve", "milk", "--mine"]))
        #expect(try await served(machine) == ["Buy rice milk"])
        end(api, broker)
    }

    @Test("a refused edit is stored with the API's message, and can be corrected or discarded") func refused()
        async throws
    {
        let machine = try Machine()
        let broker = try machine.startBroker()
        let api = try machine.startTasks()
        try machine.signUp(.random())
        let long = String(repeating: "x", count: 4097)
        let refused = try machine.tasks(["add", long, "--id", "milk", "--priority", "1"])
        #expect(refused.status == 1 && refused.errors.contains("text"), "\(refused.errors)")
        #expect(try ok(machine.tasks(["list"])).contains("rejected"))
        _ = try ok(machine.tasks(["edit", "milk", "Buy milk"]))
        #expect(try await served(machine) == ["Buy milk"])
        #expect(try machine.tasks(["edit", "milk", long, "--notes", "soon"]).status == 1)
        // The complete edit is shown, not only the column that violated a rule.
        #expect(try ok(machine.tasks(["conflicts"])).contains("soon"))
        #expect(try json(machine.tasks(["conflicts", "--json"])).array?.first?["edit"]?["notes"] == "soon")
        _ = try ok(machine.tasks(["resolve", "milk", "--theirs"]))
        #expect(try json(machine.tasks(["list", "--json"])).array?.first?["text"] == "Buy milk")
        end(api, broker)
    }

    @Test("tasks are exported and imported again, and purged only locally") func files() async throws {
        let machine = try Machine()
        let broker = try machine.startBroker()
        let api = try machine.startTasks()
        try machine.signUp(.random())
        _ = try ok(machine.tasks(["add", "Buy milk", "--id", "milk", "--priority", "1"]))
        let file = machine.folder.path("todo.txt")
        try ok(machine.tasks(["export", "--format", "todo.txt"])).write(toFile: file, atomically: true, encoding: .utf8)
        let purged = try machine.tasks(["purge"])
        #expect(ok(purged) == "Tasks removed from this machine: 1.\n")
        #expect(purged.errors == "hint: Run `tasks sync --full` to fetch the tasks again.\n")
        #expect(try await served(machine) == ["Buy milk"])
        #expect(try json(machine.tasks(["sync", "--full", "--json"]))["received"] == 1)
        let lines = try String(contentsOfFile: file, encoding: .utf8).replacing("Buy milk", with: "Buy oat milk")
        try (lines + "(B) Sleep\n").write(toFile: file, atomically: true, encoding: .utf8)
        #expect(try ok(machine.tasks(["import", file])) == "Tasks in the file: 2 (1 added, 1 changed)\n")
        #expect(try await served(machine) == ["Buy oat milk", "Sleep"])
        end(api, broker)
    }

    @Test("the todo.txt files of other programs change no task, and what is not imported is reported")
    func foreignFiles() async throws {
        let machine = try Machine()
        let broker = try machine.startBroker()
        let api = try machine.startTasks()
        try machine.signUp(.random())
        _ = try ok(machine.tasks(["add", "Write report", "--id", "1"]))
        let empty = try machine.tasks(["import", "-", "--format", "todo.txt"], input: "")
        #expect(ok(empty) == "Tasks in the file: 0 (0 added, 0 changed)\n")
        let foreign = "(A) Paint the fence due:2026-12-24 id:1 +home\r\nx 2026-11-20 Pay rent\r\n"
        let imported = try machine.tasks(["import", "-", "--format", "todo.txt"], input: "\u{FEFF}\(foreign)")
        #expect(ok(imported) == "Tasks in the file: 2 (2 added, 0 changed)\n")
        #expect(
            imported.errors == """
                tasks: line 1: id:1 has an unknown key and stays in the text.
                tasks: line 2: The date 2026-11-20 was not imported, because tasks have no creation or completion date.

                """
        )
        #expect(try await served(machine).sorted() == ["Paint the fence id:1 +home", "Pay rent", "Write report"])
        let exported = try ok(machine.tasks(["export", "--format", "todo.txt"]))
        let again = try machine.tasks(["import", "-", "--format", "todo.txt", "--json"], input: exported)
        #expect(try json(again)["added"] == 0 && json(again)["changed"] == 0, "\(exported)")
        #expect(try json(again)["reports"] == [])
        let more = "id,text,due,notes\n1,Write report,2026-12-24,for Ann\n"
        let first = try machine.tasks(["import", "-", "--format", "csv"], input: more)
        #expect(ok(first) == "Tasks in the file: 1 (0 added, 1 changed)\n" && first.errors.isEmpty)
        let file = "id,text,complete,due,notes,tags\n1,Collect figures,true,2026-12-31,for Bob,work\n"
        let replaced = try machine.tasks(["import", "-", "--format", "csv"], input: file)
        #expect(ok(replaced) == "Tasks in the file: 1 (0 added, 1 changed)\n")
        let reports = [("text", "Write report"), ("due", "2026-12-24T00:00:00.000Z"), ("notes", "for Ann")].map {
            "tasks: row 2: The import replaced \($0) of the task 1. The previous value: \($1)\n"
        }
        #expect(replaced.errors == reports.joined())
        let same = try machine.tasks(["import", "-", "--format", "csv"], input: file)
        #expect(ok(same) == "Tasks in the file: 1 (0 added, 0 changed)\n" && same.errors.isEmpty)
        let blank = try machine.tasks(["import", "-"], input: #"[{"text":" "}]"#)
        #expect(blank.status == 1 && blank.errors.contains("element 1 has no text"), "\(blank.errors)")
        end(api, broker)
    }

    @Test("an import reports the tasks that the API rejects and the tasks that a saved edit deletes") func imported()
        async throws
    {
        let machine = try Machine()
        let broker = try machine.startBroker()
        let api = try machine.startTasks()
        try machine.signUp(.random())
        _ = try ok(machine.tasks(["add", "Write report", "--id", "1"]))
        // Without the deleted values, another device's change could be deleted.
        let blind = #"[{"table":"todoitem","operation":"delete","id":"1"}]"#
        let skipped = try machine.tasks(["import", "-"], input: blind)
        #expect(skipped.status == 1 && skipped.output.hasPrefix("Tasks in the file: 1 (0 added, 0 changed)\n"))
        #expect(try await served(machine) == ["Write report"])
        let row = try #require(try json(machine.tasks(["list", "--json"])).array?.first)
        let edit: JSONValue = [["table": "todoitem", "operation": "delete", "id": "1", "item": row]]
        let deleted = try machine.tasks(["import", "-"], input: edit.text)
        #expect(ok(deleted) == "Tasks in the file: 1 (0 added, 1 changed)\n")
        #expect(deleted.errors == "tasks: element 1: The import deleted the task 1. Its text: Write report\n")
        let long = String(repeating: "x", count: 4097)
        let file = #"[{"text":"Call mum"},{"id":"long","text":"\#(long)"}]"#
        let rejected = try machine.tasks(["import", "-", "--json"], input: file)
        #expect(rejected.status == 1, "\(rejected)")
        let outcome = try StrictJSON.parse(Array(rejected.output.utf8))
        #expect(outcome["added"] == 2 && outcome["reports"]?.array?.count == 1, "\(outcome)")
        let report = outcome["reports"]?.array?.first?.string ?? ""
        #expect(report.hasPrefix("element 2: The API rejected the task long: "), "\(report)")
        #expect(try await served(machine) == ["Call mum"])
        end(api, broker)
    }

    private func account(_ machine: Machine) throws -> String {
        try json(machine.tasks(["whoami", "--json"]))["account"]?.string ?? ""
    }
}
