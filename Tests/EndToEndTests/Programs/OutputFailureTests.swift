import Foundation
import TestSupport
import Testing

/// Tests of commands whose standard output is full or closed.
@Suite(.timeLimit(.minutes(5)))
struct OutputFailureTests {
    @Test(
        "output that cannot be printed is an error with exit 1, also for a cached token",
        arguments: [">/dev/full", ">&-"]
    )
    func fails(_ stdout: String) throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        let api = try machine.startTasks()
        try machine.signUp(.random())
        let tasks: [[String]] = [["add", "Buy milk"], ["list"], ["list", "--json"], ["whoami"], ["accounts"]]
        let tokenbroker: [[String]] = [
            ["token"], ["token", "--json"], ["token", "--header"], ["token", "--no-prompt"], ["policies"],
        ]
        let calls =
            tasks.map { ("tasks", [$0[0]] + machine.tasksArguments + $0.dropFirst()) }
            + tokenbroker.map { ("tokenbroker", $0) }
        for (program, arguments) in calls {
            let outcome = try machine.run(program, arguments, stdout: stdout)
            #expect(outcome.status == 1, "\(arguments): \(outcome.errors)")
            #expect(outcome.errors.contains("Cannot write to standard output: "), "\(arguments): \(outcome.errors)")
        }
        for program in [api, daemon] {
            program.signal(SIGTERM)
            #expect(program.wait() == 0)
        }
        let file = ["--config", machine.folder.path("etc/tasksd.yaml")]
        for (program, arguments) in [
            ("tokenbrokerd", ["--schema"]), ("tokenbrokerd", ["--check"]), ("tasksd", ["--schema"]),
            ("tasksd", ["--check"] + file),
            ("tasksd", ["--columns", "TodoItem", "--state-directory", machine.folder.path("tasksd")] + file),
        ] {
            let outcome = try machine.run(program, arguments, stdout: stdout)
            #expect(outcome.status == 1, "\(program) \(arguments): \(outcome.errors)")
            #expect(outcome.errors.contains("Cannot write to standard output: "), "\(program): \(outcome.errors)")
        }
    }

    @Test("a closed pipe ends each program by SIGPIPE, without a message, also where the signal is ignored")
    func closedPipe() throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        try machine.signUp(.random())
        let script = """
            trap '' PIPE
            mkfifo pipe && exec 3<>pipe 4>pipe 3>&-
            "$@" >&4
            echo $?
            """
        for (program, arguments) in [
            ("tokenbroker", ["token"]), ("tokenbroker", ["policies"]), ("tokenbrokerd", ["--schema"]),
            ("tasksd", ["--schema"]),
        ] {
            let folder = try TemporaryFolder()
            let outcome = try BuiltProgram(path: "/bin/sh").run(
                ["-c", "cd \(folder.url.path) && \(script)", "sh", BuiltProgram(program).url.path] + arguments,
                environment: machine.environment
            )
            #expect(outcome.output == "141\n" && outcome.errors.isEmpty, "\(program) \(arguments): \(outcome)")
        }
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
    }
}
