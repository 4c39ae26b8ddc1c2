import Foundation
import TestSupport
import Testing

/// Tests the single executable that contains all programs and selects one by its own name.
@Suite(.timeLimit(.minutes(1)))
struct ProgramNamesTests {
    private let executable = BuiltProgram("tokenbroker-programs")

    @Test(
        "a symbolic link's name selects the program, in any folder",
        arguments: [
            ("tokenbrokerd", "Run the token broker"), ("tokenbroker", "Get bearer tokens"),
            ("tasksd", "Run the tasks API"), ("tasks", "Manage a task list"),
        ]
    )
    func chosen(_ name: String, _ abstract: String) throws {
        let folder = try TemporaryFolder()
        let help = try linked(as: name, in: folder).run(["--help"])
        #expect(help.status == 0)
        #expect(help.output.contains(abstract))
        #expect(help.output.contains("USAGE: \(name) "))
    }

    @Test(
        "any other name is a usage error that lists the names",
        arguments: ["tokenbroker-programs", "task", "tasks.old"]
    )
    func unknown(_ name: String) throws {
        let folder = try TemporaryFolder()
        let outcome = try linked(as: name, in: folder).run(["list"])
        #expect(outcome.status == 64)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix("tokenbroker-programs: error: "))
        #expect(outcome.errors.contains("tokenbrokerd, tokenbroker, tasksd or tasks"))
    }

    @Test("the front program finds its commands under any name") func front() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("bearer"),
            withDestinationPath: BuiltProgram("tokenbroker").url.path
        )
        let outcome = try BuiltProgram(path: folder.path("bearer")).run(["--version"])
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    private func linked(as name: String, in folder: TemporaryFolder) throws -> BuiltProgram {
        try FileManager.default.createSymbolicLink(
            atPath: folder.path(name),
            withDestinationPath: executable.url.path
        )
        return BuiltProgram(path: folder.path(name))
    }
}
