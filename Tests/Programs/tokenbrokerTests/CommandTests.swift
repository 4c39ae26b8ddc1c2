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
            ["sign-out", "--all", "--account", "a"], ["help", "nosuch"], ["help", "keys", "nosuch"], ["backup", "-"],
        ]
    )
    func usage(_ arguments: [String]) throws {
        let outcome = try program.run(arguments)
        #expect(outcome.status == 64)
        #expect(outcome.errors.hasPrefix("tokenbroker: error: "))
        #expect(outcome.output.isEmpty)
    }

    @Test("the help of a command is data, asked for either way") func helpOfCommand() throws {
        let asked = try program.run(["help", "token"])
        #expect(asked.status == 0 && asked.output.contains("--no-prompt"), "\(asked.errors)")
        #expect(try program.run(["token", "--help"]).output == asked.output)
    }

    @Test("a path that no socket can have is said in words") func longPath() throws {
        let outcome = try program.run(["accounts", "--socket", "/" + String(repeating: "x", count: 200)])
        #expect(
            outcome.status == 69 && outcome.errors.contains("the path is longer than a socket's may be"),
            "\(outcome.errors)"
        )
    }

    @Test("nobody at the socket is 69, for people and for programs") func unreachable() throws {
        let folder = try TemporaryFolder()
        let socket = folder.path("none.sock")
        let people = try program.run(["token", "--socket", socket])
        #expect(people.status == 69)
        #expect(
            people.errors == """
                tokenbroker: error: tokenbrokerd is not running: nothing listens at \(socket)
                hint: start it by `tokenbrokerd` or `systemctl start tokenbroker.socket`; \
                `tokenbroker doctor` looks for the cause

                """
        )
        let german = try program.run(["accounts", "--socket", socket], environment: ["LC_ALL": "de_DE.UTF-8"])
        #expect(german.errors.contains("tokenbrokerd läuft nicht: an \(socket) lauscht nichts"), "\(german.errors)")
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

    @Test("a correlation id that was given is told to programs, and to nobody who could look it up nowhere")
    func correlation() throws {
        let folder = try TemporaryFolder()
        let id = "0f945e09-85b5-4fad-bd25-018449bdb6a0"
        let call = ["status", "--correlation-id", id, "--socket", folder.path("none.sock")]
        #expect(try program.run(call + ["--json"]).errors.contains("\"correlationId\":\"\(id)\""))
        #expect(try !program.run(call).errors.contains(id))
    }

    @Test(
        "what is typed wrongly is answered with what was meant, and the help of the command at hand",
        arguments: [
            (["tokn"], "no command `tokenbroker tokn`; did you mean `token`?", "`tokenbroker --help`"),
            (
                ["user", "lsit"], "no command `tokenbroker user lsit`; did you mean `list`?",
                "`tokenbroker user --help`"
            ),
            (["token", "--scop", "x"], "Did you mean '--scope'?", "`tokenbroker token --help`"),
            (["audit", "--limit", "0"], "--limit", "`tokenbroker audit --help`"),
            (["import", "x"], "there is no command `tokenbroker import x`", "`tokenbroker import --help`"),
            (["authority", "add"], "name the authority's URL, or a --preset", "authority add --help`"),
            (["policy", "tri", "x"], "did you mean `try`?", "`tokenbroker policy --help`"),
            (["sign-in", "--provider"], "--provider", "sign-in --help`"),
            (["sign-in", "--password", "hunter2"], "command line; use --password-stdin.", "--help`"),
            (["sign-in", "--answer", "password=hunter2"], "Secrets never go on the command line", "--help`"),
        ]
    )
    func mistaken(_ arguments: [String], _ sentence: String, _ hint: String) throws {
        let outcome = try program.run(arguments)
        #expect(outcome.status == 64 && outcome.output.isEmpty)
        #expect(outcome.errors.contains(sentence), "\(outcome.errors)")
        #expect(outcome.errors.contains(hint), "\(outcome.errors)")
        #expect(!outcome.errors.contains("hunter2"))
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
        #expect(good.output.hasPrefix("\(file): ok\nb2c_1_x: X (sign-in)\n"), "\(good.output)")
    }

    @Test("data that cannot be written is an error", arguments: [">/dev/full", ">&-"]) func output(
        _ stdout: String
    ) throws {
        for arguments in [["--version"], ["token", "--help"], ["--generate-completion-script", "bash"]] {
            let outcome = try program.run(arguments, stdout: stdout)
            #expect(outcome.status == 1)
            #expect(outcome.errors.hasPrefix("tokenbroker: error: standard output cannot be written: "))
        }
    }
}
