import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct CommandTests {
    private let program = BuiltProgram("tasks")

    @Test("invalid arguments exit with 64", arguments: [["add"], ["edit", "a"], ["nothing"], ["done"]])
    func usage(_ arguments: [String]) throws {
        let outcome = try program.run(arguments, environment: ["HOME": "/nonexistent"])
        #expect(outcome.status == 64)
        #expect(outcome.errors.hasPrefix("tasks: error: "))
    }

    @Test("an invalid configuration exits with 78, and names file and line") func configuration() throws {
        let folder = try TemporaryFolder()
        let file = folder.path("tasks.yaml")
        try "api: http://localhost/tasks:3000\n".write(toFile: file, atomically: true, encoding: .utf8)
        let outcome = try program.run(["list", "--config", file], environment: ["HOME": folder.url.path])
        #expect(outcome.status == 78)
        #expect(outcome.errors.contains("\(file):1: "))
        #expect(outcome.errors.contains("http://localhost:3000/tasks"))
    }

    @Test("a missing broker exits with 69") func unreachable() throws {
        let folder = try TemporaryFolder()
        let outcome = try program.run(
            ["list", "--socket", folder.path("none.sock")],
            environment: ["HOME": folder.url.path]
        )
        #expect(outcome.status == 69)
    }
}
