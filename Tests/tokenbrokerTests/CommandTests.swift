import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct CommandTests {
    private let program = BuiltProgram("tokenbroker")

    @Test("help and version are data") func help() throws {
        let help = try program.run(["--help"])
        #expect(help.status == 0)
        #expect(help.output.contains("doctor"))
        #expect(help.errors.isEmpty)
        #expect(try program.run(["--version"]).output == "0.1.0\n")
    }

    @Test("there is a completion script for each shell", arguments: ["bash", "zsh", "fish"])
    func completion(_ shell: String) throws {
        let script = try program.run(["--generate-completion-script", shell])
        #expect(script.status == 0)
        #expect(script.output.contains("tokenbroker"))
    }

    @Test(
        "what is not written as it must be is 64",
        arguments: [
            ["tokn"], ["token", "--min-validity", "soon"], ["token", "--header", "--env"], ["audit", "--limit", "0"],
            ["sign-up", "--answer", "password=x"], ["token", "--correlation-id", "x"],
            ["sign-out", "--all", "--account", "a"],
        ]
    )
    func usage(_ arguments: [String]) throws {
        let outcome = try program.run(arguments)
        #expect(outcome.status == 64)
        #expect(outcome.errors.hasPrefix("tokenbroker: error: "))
        #expect(outcome.output.isEmpty)
    }

    @Test("nobody at the socket is 69, for people and for programs") func unreachable() throws {
        let folder = try TemporaryFolder()
        let socket = folder.path("none.sock")
        let people = try program.run(["token", "--socket", socket])
        #expect(people.status == 69)
        #expect(people.errors.hasPrefix("tokenbroker: error: no broker answers"))
        let programs = try program.run(["accounts", "--json", "--socket", socket])
        #expect(programs.status == 69)
        #expect(programs.errors.hasPrefix(#"{"error":{"#))
        #expect(programs.errors.contains(#""reason":"unreachable""#))
    }

    @Test("the doctor names the socket that is not there, and what to do") func doctor() throws {
        let folder = try TemporaryFolder()
        let outcome = try program.run(["doctor", "--socket", folder.path("none.sock")])
        #expect(outcome.status == 69)
        #expect(outcome.output.contains("there is no socket"))
        #expect(outcome.output.contains("start the daemon"))
    }

    @Test("the doctor knows a file that is no socket, and one nobody listens at") func stale() throws {
        let folder = try TemporaryFolder()
        let file = folder.path("file")
        try "".write(toFile: file, atomically: true, encoding: .utf8)
        #expect(try program.run(["doctor", "--socket", file]).output.contains("is no socket"))
    }

    @Test("a correlation id that was given is the one that is named") func correlation() throws {
        let folder = try TemporaryFolder()
        let id = "0f945e09-85b5-4fad-bd25-018449bdb6a0"
        let outcome = try program.run(["status", "--correlation-id", id, "--socket", folder.path("none.sock")])
        #expect(outcome.errors.contains("correlation id: \(id)"))
    }

    @Test("a policy is checked without a daemon: every problem, with its line, and 78") func policy() throws {
        let folder = try TemporaryFolder()
        let file = folder.path("b2c_1_x.yaml")
        try "kind: sign-in\ndisplayNam: X\n".write(toFile: file, atomically: true, encoding: .utf8)
        let bad = try program.run(["policy", "check", file])
        #expect(bad.status == 78)
        #expect(bad.errors.contains("\(file):2: "))
        try "kind: sign-in\ndisplayName: X\n".write(toFile: file, atomically: true, encoding: .utf8)
        let good = try program.run(["policy", "check", file])
        #expect(good.status == 0, "\(good.errors)")
        #expect(good.output == "\(file): ok\n")
    }
}
