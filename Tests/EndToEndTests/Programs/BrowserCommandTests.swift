import Foundation
import TestSupport
import Testing

/// End-to-end tests of `sign-in --browser` in both command-line programs.
@Suite(.timeLimit(.minutes(5)))
struct BrowserCommandTests {
    /// Starts a command, and returns its process and the link that it prints.
    private func started(
        _ machine: Machine,
        _ program: String,
        _ more: [String] = []
    ) async throws -> (RunningProgram, String) {
        let process = try BuiltProgram(program).start(
            ["sign-in", "--browser"] + more,
            environment: machine.environment
        )
        var link: String?
        try await waitUntil("\(program) printed its link and the words") {
            let errors = process.errors()
            link = errors.firstMatch(of: /Sign in with a browser: (\S+)\n/).map { String($0.1) }
            return link != nil && errors.contains("type these words: ")
        }
        return (process, try #require(link))
    }

    @Test("tokenbroker waits for the browser and then has an account") func broker() async throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        let person = Person.random()
        try person.signUp(try machine.connect(), on: machine)
        #expect(try machine.tokenbroker(["sign-out", "--all"]).status == 0)
        let (process, link) = try await started(machine, "tokenbroker")
        #expect(link.hasPrefix("\(machine.base)/local/flow/"))
        var browser = WebBrowser()
        let page = try await browser.open(link)
        let wrong = try await browser.submit(page, ["username": person.email, "password": "Wrong-horse-7"])
        #expect(wrong.status == 200 && wrong.text.contains("name=\"password\""))
        let done = try await browser.submit(wrong, ["username": person.email, "password": person.password])
        #expect(done.status == 200 && !done.text.contains("name=\"password\""))
        #expect(process.wait() == 0, "\(process.errors())")
        #expect(process.output().contains(person.email) && !process.errors().contains(person.password))
        #expect(try machine.tokenbroker(["token", "--no-prompt"]).status == 0)
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
    }

    @Test("tasks waits for the browser and then uses the new account") func tasks() async throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        let person = Person.random()
        try person.signUp(try machine.connect(), on: machine)
        #expect(try machine.tokenbroker(["sign-out", "--all"]).status == 0)
        let (process, link) = try await started(machine, "tasks", machine.tasksArguments)
        var browser = WebBrowser()
        let page = try await browser.open(link)
        let done = try await browser.submit(page, ["username": person.email, "password": person.password])
        #expect(done.status == 200)
        #expect(process.wait() == 0, "\(process.errors())")
        #expect(process.output().contains(person.email))
        let server = try machine.startTasks()
        #expect(try machine.tasks(["add", "By browser"]).status == 0)
        #expect(try machine.tasks(["list"]).output.contains("By browser"))
        for program in [daemon, server] {
            program.signal(SIGTERM)
            #expect(program.wait() == 0)
        }
    }

    @Test("cancelling in the browser ends the command with a failure") func cancelled() async throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        let (process, link) = try await started(machine, "tokenbroker")
        var browser = WebBrowser()
        _ = try await browser.submit(try await browser.open(link), ["_action": "cancel"])
        #expect(process.wait() != 0)
        #expect(process.output().isEmpty && process.errors().contains("tokenbroker: error: "), "\(process.errors())")
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
    }
}
