import Foundation
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// End-to-end tests of the caret that marks the error in a refused query.
@Suite(.timeLimit(.minutes(5)))
struct CaretTests {
    /// Options of `list`, an invalid value for each option, and the column of the caret.
    private static let wrong: [(option: String, typed: String, column: Int)] = [
        ("--filter", "text =! 'x'", 6), ("--filter", "text ==", 7), ("--filter", "(text == 'x'", 0),
        ("--filter", "txt == 'x'", 0), ("--filter", "text == 'ä' AND prio == 1", 16),
        ("--sort", "due, desc desc desc", 15), ("--sort", "text, duraton desc", 6),
        ("--columns", "text, te xt", 6), ("--columns", "text,nope", 5),
    ]

    private func check(_ machine: Machine, _ options: [String]) throws {
        for (option, typed, column) in Self.wrong {
            let refused = try machine.tasks(["list", option, typed] + options)
            #expect(refused.status == 64 && refused.output.isEmpty, "\(option) \(typed): \(refused.errors)")
            let lines = refused.errors.split(separator: "\n").map(String.init)
            let place = try #require(lines.firstIndex(of: "  \(typed)"), "\(refused.errors)")
            #expect(lines[place - 1].hasPrefix("tasks: error: \(option): "), "\(refused.errors)")
            #expect(lines[place + 1] == "  " + String(repeating: " ", count: column) + "^", "\(refused.errors)")
            // The query sent to the server differs from the typed text, so the message must contain neither that query
            // nor its positions.
            #expect(!refused.errors.contains("$") && !refused.errors.contains("at position"), "\(refused.errors)")
        }
    }

    @Test(
        "a caret marks the error in --filter, --sort and --columns, online and offline"
    )
    func options() throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        let api = try machine.startTasks()
        try machine.signUp(.random())
        #expect(try machine.tasks(["add", "Buy milk"]).status == 0)
        try check(machine, [])
        try check(machine, ["--offline"])
        let json = try machine.tasks(["list", "--filter", "text =! 'x'", "--json"])
        let error = try StrictJSON.parse(Array(json.errors.utf8))["error"]
        #expect(json.status == 64 && error?["position"] == 6, "\(json.errors)")
        for program in [api, daemon] {
            program.signal(SIGTERM)
            #expect(program.wait() == 0)
        }
    }

    @Test("the API names the option and the position of the error") func api() async throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        let api = try machine.startTasks()
        let person = Person.random()
        try person.signUp(machine.connect(), on: machine)
        let token = try #require(try person.token(machine.connect(), [:])["accessToken"]?.string)
        for (query, option, position) in [
            ("$filter=text%20eq%201", "$filter", 5), ("$filter=text%20eq%20%27x%27%20and%20nope", "$filter", 16),
            ("$orderby=text,nope", "$orderby", 5), ("$select=text,nope", "$select", 5),
        ] {
            let answer = try await WebAnswer.to(.GET, "\(machine.api)/tables/todoitem?\(query)", token: token)
            let json = try StrictJSON.parse(Array(answer.text.utf8))
            #expect(answer.status == 400 && json["position"]?.int == Int64(position), "\(query): \(answer.text)")
            #expect(json["error"]?.string?.hasPrefix(option) == true, "\(query): \(answer.text)")
        }
        for program in [api, daemon] {
            program.signal(SIGTERM)
            #expect(program.wait() == 0)
        }
    }
}
