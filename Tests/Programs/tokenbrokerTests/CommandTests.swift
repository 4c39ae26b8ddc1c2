import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct CommandTests {
    private let program = BuiltProgram("tokenbroker")

    @Test("help and version are printed to stdout") func help() throws {
        let help = try program.run(["--help"])
        #expect(help.status == 0)
        #expect(help.output.contains("doctor"))
        let headings = help.output.split(separator: "\n").filter { $0.hasSuffix(":") }
        #expect(
            headings == ["EXIT CODES:", "EXAMPLES:", "OPTIONS:", "TOKENS:", "ACCOUNT:", "TOOLS:", "OPERATORS:"],
            "\(help.output)"
        )
        #expect(help.errors.isEmpty)
        #expect(try program.run(["--version"]).output == "0.1.0\n")
    }

    @Test("every shell has a completion script", arguments: ["bash", "zsh", "fish"])
    func completion(_ shell: String) throws {
        let script = try program.run(["--generate-completion-script", shell])
        #expect(script.status == 0)
        #expect(script.output.contains("tokenbroker"))
    }

    @Test(
        "invalid arguments exit with 64",
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

    @Test("the help of a command is printed to stdout in both notations") func helpOfCommand() throws {
        let asked = try program.run(["help", "token"])
        #expect(asked.status == 0 && asked.output.contains("--no-prompt"), "\(asked.errors)")
        #expect(try program.run(["token", "--help"]).output == asked.output)
    }

    @Test("an impossible socket path is reported") func longPath() throws {
        let outcome = try program.run(["accounts", "--socket", "/" + String(repeating: "x", count: 200)])
        #expect(
            outcome.status == 69 && outcome.errors.contains("the path exceeds 107 bytes"),
            "\(outcome.errors)"
        )
    }

    @Test("a socket without a daemon exits with 69, in text and in JSON") func unreachable() throws {
        let folder = try TemporaryFolder()
        let socket = folder.path("none.sock")
        let people = try program.run(["token", "--socket", socket])
        #expect(people.status == 69)
        #expect(
            people.errors == """
                tokenbroker: error: tokenbrokerd is not running: nothing is listening on \(socket).
                hint: Start the daemon with `tokenbrokerd` or `systemctl start tokenbroker.socket`, or run \
                `tokenbroker doctor` to find the cause.

                """
        )
        let german = try program.run(["accounts", "--socket", socket], environment: ["LC_ALL": "de_DE.UTF-8"])
        #expect(german.errors.contains("tokenbrokerd läuft nicht: an \(socket) lauscht nichts."), "\(german.errors)")
        let programs = try program.run(["accounts", "--json", "--socket", socket])
        #expect(programs.status == 69)
        #expect(programs.errors.hasPrefix(#"{"error":{"#))
        #expect(programs.errors.contains(#""reason":"unreachable""#))
    }

    @Test("doctor names a missing socket and gives advice") func doctor() throws {
        let folder = try TemporaryFolder()
        let outcome = try program.run(["doctor", "--socket", folder.path("none.sock")])
        #expect(outcome.status == 69)
        #expect(outcome.output.contains("The socket does not exist"))
        #expect(outcome.output.contains("Start the daemon"))
    }

    @Test("doctor reports a file that is no socket, and a socket without a listener") func stale() throws {
        let folder = try TemporaryFolder()
        let file = folder.path("file")
        try "".write(toFile: file, atomically: true, encoding: .utf8)
        #expect(try program.run(["doctor", "--socket", file]).output.contains("not a socket"))
    }

    @Test("a given correlation id is in JSON errors, and in text only if something was logged")
    func correlation() throws {
        let folder = try TemporaryFolder()
        let id = "0f945e09-85b5-4fad-bd25-018449bdb6a0"
        let call = ["status", "--correlation-id", id, "--socket", folder.path("none.sock")]
        #expect(try program.run(call + ["--json"]).errors.contains("\"correlationId\":\"\(id)\""))
        #expect(try !program.run(call).errors.contains(id))
    }

    @Test(
        "a misspelling gets the nearest name, and the help of its command",
        arguments: [
            (["tokn"], "no command `tokenbroker tokn`. Did you mean `token`?", "`tokenbroker --help`"),
            (
                ["user", "lsit"], "no command `tokenbroker user lsit`. Did you mean `list`?",
                "`tokenbroker user --help`"
            ),
            (["token", "--scop", "x"], "Did you mean '--scope'?", "`tokenbroker token --help`"),
            (["audit", "--limit", "0"], "--limit", "`tokenbroker audit --help`"),
            (["import", "x"], "There is no command `tokenbroker import x`.", "`tokenbroker import --help`"),
            (["authority", "add"], "Specify the URL, or a --preset", "authority add --help`"),
            (["policy", "tri", "x"], "Did you mean `try`?", "`tokenbroker policy --help`"),
            (["sign-in", "--provider"], "--provider", "sign-in --help`"),
            (["sign-in", "--password", "hunter2"], "command line. Use --password-stdin.", "--help`"),
            (["sign-in", "--answer", "password=hunter2"], "Never pass secrets on the command line", "--help`"),
        ]
    )
    func mistaken(_ arguments: [String], _ sentence: String, _ hint: String) throws {
        let outcome = try program.run(arguments)
        #expect(outcome.status == 64 && outcome.output.isEmpty)
        #expect(outcome.errors.contains(sentence), "\(outcome.errors)")
        #expect(outcome.errors.contains(hint), "\(outcome.errors)")
        #expect(!outcome.errors.contains("hunter2"))
    }

    @Test("a policy is checked without a daemon: every problem is printed with its line, and the exit code is 78")
    func policy() throws {
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

    @Test(
        "global options stand before or after the command",
        arguments: [
            (["--socket", "/nonexistent", "accounts"], ["accounts", "--socket", "/nonexistent"]),
            (["--json", "--socket=/none", "user", "list"], ["user", "list", "--json", "--socket=/none"]),
        ]
    )
    func leading(_ before: [String], _ after: [String]) throws {
        let (first, second) = (try program.run(before), try program.run(after))
        #expect(first.status == 69 && first.errors.contains("/none"), "\(first.errors)")
        #expect(first.status == second.status)
        #expect(first.errors.contains("\"error\"") == second.errors.contains("\"error\""))
    }

    @Test(
        "a misspelt command after a global option is named",
        arguments: [["--json", "acounts"], ["--socket", "/none", "client", "lst"], ["client", "--json", "lst"]]
    )
    func misspelt(_ arguments: [String]) throws {
        let outcome = try program.run(arguments)
        #expect(outcome.status == 64 && outcome.errors.contains("Did you mean"), "\(outcome.errors)")
    }

    @Test("a global option before a command that does not have it is rejected") func unknownLeading() throws {
        let outcome = try program.run(["--account", "ann", "accounts"])
        #expect(outcome.status == 64 && outcome.errors.contains("--account"), "\(outcome.errors)")
    }

    @Test("a closed pipe ends the program by SIGPIPE, without a message", arguments: ["--version", "--help"])
    func closedPipe(_ argument: String) throws {
        let folder = try TemporaryFolder()
        let script = """
            mkfifo pipe && exec 3<>pipe 4>pipe 3>&-
            "$0" "$1" >&4
            echo $?
            """
        let outcome = try BuiltProgram(path: "/bin/sh").run(
            ["-c", "cd \(folder.url.path) && \(script)", program.url.path, argument]
        )
        #expect(outcome.output == "141\n" && outcome.errors.isEmpty, "\(outcome)")
    }

    @Test("data that cannot be written is an error", arguments: [">/dev/full", ">&-"]) func output(
        _ stdout: String
    ) throws {
        for arguments in [["--version"], ["token", "--help"], ["--generate-completion-script", "bash"]] {
            let outcome = try program.run(arguments, stdout: stdout)
            #expect(outcome.status == 1)
            #expect(outcome.errors.hasPrefix("tokenbroker: error: Cannot write to standard output: "))
        }
    }
}
