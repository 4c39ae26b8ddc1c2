import Foundation
import OAuth
import TestSupport
import Testing

/// Tests of the progress that a sync shows at a terminal, and of its prompts for conflicts.
@Suite(.timeLimit(.minutes(10)))
struct AskTests {
    private func ok(_ outcome: BuiltProgram.Outcome) -> String {
        #expect(outcome.status == 0, "\(outcome.errors)")
        return outcome.output
    }

    private func json(_ outcome: BuiltProgram.Outcome) throws -> JSONValue {
        try StrictJSON.parse(Array(ok(outcome).utf8), integers: .orFloating)
    }

    /// Runs `test` with a machine on which a user is signed in, and with a function that runs `tasks` on the user's
    /// second device.
    private func devices(
        _ test: (Machine, _ other: ([String]) throws -> BuiltProgram.Outcome) throws -> Void
    ) throws {
        let machine = try Machine()
        let broker = try machine.startBroker()
        let api = try machine.startTasks()
        try machine.signUp(.random())
        let account = try json(machine.tasks(["whoami", "--json"]))["account"]?.string ?? ""
        try test(machine) {
            try machine.tasks($0 + ["--data-directory", machine.folder.path("other"), "--account", account])
        }
        for program in [api, broker] {
            program.signal(SIGTERM)
            #expect(program.wait() == 0)
        }
    }

    @Test("--ask shows both sides of each conflict, prompts again after an invalid answer, and applies the decision")
    func ask() throws {
        try devices { machine, other in
            _ = try ok(machine.tasks(["add", "Milk", "--id", "milk"]))
            let sync = ["sync"] + machine.tasksArguments + ["--ask"]
            let cases = [
                (["[m]ine=x", "[m]ine=m"], "Mine 0", 0), (["[m]ine=t"], "Theirs 1", 0), (["[m]ine=l"], "Mine 2", 1),
            ]
            for (number, (answers, expected, status)) in cases.enumerated() {
                _ = try ok(machine.tasks(["edit", "milk", "Mine \(number)", "--offline"]))
                _ = try ok(other(["edit", "milk", "Theirs \(number)"]))
                let asked = try machine.atTerminal("tasks", sync, answers: answers)
                #expect(asked.status == Int32(status), "\(asked.output)\(asked.errors)")
                #expect(asked.output.contains("milk: both sides changed the task"), "\(asked.output)")
                #expect(asked.output.contains(/MINE +SERVER/))
                #expect(asked.output.contains(try Regex("text +Mine \(number) +Theirs \(number)")), "\(asked.output)")
                #expect(
                    try json(machine.tasks(["list", "--json", "--offline"])).array?.first?["text"]?.string == expected
                )
            }
            #expect(try machine.tasks(["status"]).output.contains("Edits that need a decision: 1."))
        }
    }

    @Test("--ask can delete the task on both sides") func delete() throws {
        try devices { machine, other in
            _ = try ok(machine.tasks(["add", "Milk", "--id", "milk"]))
            _ = try ok(machine.tasks(["edit", "milk", "Mine", "--offline"]))
            _ = try ok(other(["edit", "milk", "Theirs"]))
            let asked = try machine.atTerminal(
                "tasks",
                ["sync"] + machine.tasksArguments + ["--ask"],
                answers: ["[m]ine=d"]
            )
            #expect(asked.status == 0, "\(asked.output)")
            #expect(try json(other(["list", "--json"])) == [])
        }
    }

    @Test("--ask without a terminal is refused before anything is sent") func noTerminal() throws {
        try devices { machine, _ in
            _ = try ok(machine.tasks(["add", "Milk", "--offline"]))
            // A process in a new session has no terminal, even if the tests run at a terminal.
            let outcome = try BuiltProgram(path: "/usr/bin/setsid").run(
                ["--wait", BuiltProgram("tasks").url.path, "sync"] + machine.tasksArguments + ["--ask"],
                environment: machine.environment
            )
            #expect(outcome.status == 77, "\(outcome.errors)")
            #expect(outcome.errors.contains("no terminal"))
            #expect(try json(machine.tasks(["status", "--json"]))["pending"]?.array?.count == 1)
        }
    }

    @Test("a sync at a terminal shows its progress, and the report replaces it") func progress() throws {
        try devices { machine, other in
            _ = try ok(machine.tasks(["add", "Milk", "--offline"]))
            _ = try ok(other(["add", "Bread"]))
            let shown = try machine.atTerminal("tasks", ["sync"] + machine.tasksArguments, answers: [])
            #expect(shown.status == 0, "\(shown.output)")
            #expect(shown.output.contains("\r\u{1B}[KSent 1, 0 waiting\r\u{1B}[K"), "\(shown.output)")
            #expect(shown.output.contains("\r\u{1B}[KReceived "), "\(shown.output)")
            #expect(shown.output.contains(/Sent 1, received \d+\n/))
            // Without a terminal only the report is printed.
            let plain = try machine.tasks(["sync"])
            #expect(!plain.output.contains("\r") && !plain.errors.contains("Received"))
        }
    }

    @Test("conflicts name the side that deleted the task") func deletions() throws {
        try devices { machine, other in
            for id in ["mine", "theirs"] { _ = try ok(machine.tasks(["add", id, "--id", id])) }
            _ = try ok(other(["list"]))
            _ = try ok(machine.tasks(["delete", "mine", "--offline"]))
            _ = try ok(machine.tasks(["edit", "theirs", "changed", "--offline"]))
            _ = try ok(other(["edit", "mine", "changed"]))
            _ = try ok(other(["delete", "theirs"]))
            #expect(try machine.tasks(["sync"]).status == 1)
            let shown = try ok(machine.tasks(["conflicts"]))
            #expect(shown.contains("mine  delete: you deleted the task, and it was changed on the server"), "\(shown)")
            #expect(shown.contains("theirs  update: you changed the task, and it was deleted"), "\(shown)")
            #expect(shown.contains("(deleted)"))
        }
    }
}
