import TestSupport
import Testing

/// Tests which texts `tasks` rejects, and how it displays and shortens texts.
@Suite(.timeLimit(.minutes(5)))
struct TaskTextTests {
    private func output(_ outcome: BuiltProgram.Outcome) -> String {
        #expect(outcome.status == 0, "\(outcome.errors)")
        return outcome.output
    }

    @Test("invisible characters of another program in a task are shown, and JSON has the exact value") func unseen()
        throws
    {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        let api = try machine.startTasks()
        try machine.signUp(.random())
        // The text contains a zero-width space, invisible tag characters and a bidirectional override.
        let text = "Pay\u{200B}\u{E0061}\u{E0062}\u{202E} Bob"
        #expect(try machine.tasks(["add", text, "--id", "t1"]).status == 0)
        for command in [["list"], ["done", "t1"]] {
            let shown = try output(machine.tasks(command))
            #expect(shown.contains("Pay\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD} Bob"), "\(command): \(shown)")
        }
        let json = try output(machine.tasks(["list", "--all", "--json"]))
        #expect(json.contains(#"Pay\u200b\udb40\udc61\udb40\udc62\u202e Bob"#), "\(json)")
        for program in [api, daemon] {
            program.signal(15)
            #expect(program.wait() == 0)
        }
    }

    @Test("a task requires a text, a taken id is shown with its task, and a long text is shortened")
    func tasks() throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        let api = try machine.startTasks()
        try machine.signUp(.random())
        for text in ["", "  "] { #expect(try machine.tasks(["add", text]).status == 64) }
        #expect(try machine.tasks(["add", "Buy milk", "--id", "milk-1"]).status == 0)
        let twice = try machine.tasks(["add", "Sleep", "--id", "milk-1"])
        #expect(twice.status == 1)
        #expect(twice.errors.contains("A task with the id milk-1 already exists: Buy milk"), "\(twice.errors)")
        let long = try output(machine.tasks(["add", String(repeating: "word ", count: 100)]))
        #expect(long.count < 100 && long.hasSuffix("…\n"))
        let wrong = try machine.tasks(["add", "Sleep", "--due", "someday"])
        #expect(wrong.status == 64 && wrong.errors.contains("such as +2d"))
        #expect(try machine.tasks(["add", "Sleep", "--due", "tomorrow", "--notes", "none"]).status == 0)
        #expect(try output(machine.tasks(["list", "--json"])).contains(#""notes":"none""#))
        let header = try output(machine.tasks(["list", "--filter", "id == 'milk-1'"])).split(separator: "\n").first
        #expect(header == "ID      TEXT")
        for program in [api, daemon] {
            program.signal(15)
            #expect(program.wait() == 0)
        }
    }
}
