import Foundation
import TestSupport
import Testing

/// Tests of `tasks` after another program has removed its current account.
@Suite(.timeLimit(.minutes(5)))
struct SignedOutTests {
    private func expectSignedOut(_ machine: Machine, _ commands: [[String]]) throws {
        for command in commands {
            let outcome = try machine.tasks(command)
            #expect(outcome.status == 77, "\(command)")
            #expect(outcome.errors.contains("You are signed out. Run `tasks sign-in`."), "\(outcome.errors)")
        }
    }

    @Test("after `tokenbroker sign-out --all` `tasks` forgets the account, reports this, and prompts at a terminal")
    func signedOutElsewhere() throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        let api = try machine.startTasks()
        let person = Person.random()
        try machine.signUp(person)
        #expect(try machine.tasks(["add", "Buy milk"]).status == 0)
        #expect(try machine.tokenbroker(["sign-out", "--all"]).status == 0)
        try expectSignedOut(machine, [["list"], ["add", "Sleep"], ["whoami"], ["sign-out"]])
        #expect(!FileManager.default.fileExists(atPath: machine.folder.path("data/current-account")))

        let shown = try machine.atTerminal(
            "tasks",
            ["list"] + machine.tasksArguments,
            answers: ["E-mail=\(person.email)", "Password=\(person.password)"]
        )
        #expect(shown.status == 0 && shown.output.contains("Buy milk"), "\(shown.output)")
        #expect(try machine.tasks(["list"]).status == 0)
        for program in [api, daemon] {
            program.signal(SIGTERM)
            #expect(program.wait() == 0)
        }
    }

    @Test("after a restore `tasks` reports that the user is signed out") func restored() throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        let backup = machine.folder.path("backup")
        try machine.signUp(.random())
        #expect(try machine.tokenbroker(["backup", backup]).status == 0)
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
        #expect(try machine.tokenbroker(["restore", backup, "--state-directory", machine.state]).status == 0)
        let again = try machine.startBroker()
        try expectSignedOut(machine, [["list"], ["add", "Sleep"]])
        again.signal(SIGTERM)
        #expect(again.wait() == 0)
    }
}
