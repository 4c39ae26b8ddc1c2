import Foundation
import TestSupport
import Testing

/// Commands with a full or closed stdout.
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
        for program in ["tokenbrokerd", "tasksd"] {
            let outcome = try machine.run(program, ["--schema"], stdout: stdout)
            #expect(outcome.status == 1, "\(program): \(outcome.errors)")
        }
        for program in [api, daemon] {
            program.signal(SIGTERM)
            #expect(program.wait() == 0)
        }
    }
}
