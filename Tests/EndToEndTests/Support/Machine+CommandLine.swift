import Foundation
import TestSupport
import Testing

extension Machine {
    /// Signs up with `tasks sign-up` and the mailed code from the outbox.
    func signUp(_ person: Person) throws {
        let process = try BuiltProgram("tasks").start(
            ["sign-up"] + tasksArguments + [
                "--answer", "email=\(person.email)", "--answer", "displayName=\(person.name)",
                "--answer", "city=Oslo", "--answer", "extension_team=red", "--password-stdin",
            ],
            environment: environment
        )
        process.input.write(Data("\(person.password)\n".utf8))
        let code = try code(for: person.email)
        process.input.write(Data("\(code)\n".utf8))
        try process.input.close()
        let status = process.wait()
        #expect(status == 0, "\(process.errors())")
    }

    /// Runs a program at a new terminal and types the answers.
    ///
    /// Each answer has the form `PROMPT=TEXT`. The text is typed when the program shows the prompt.
    func atTerminal(
        _ program: String,
        _ arguments: [String],
        answers: [String],
        locale: String? = nil,
        columns: Int? = nil
    ) throws
        -> BuiltProgram.Outcome
    {
        let command = [ProjectFolder.path + "/scripts/at-terminal"] + answers + ["--", BuiltProgram(program).url.path]
        return try BuiltProgram(path: "/usr/bin/python3").run(
            command + arguments,
            environment: environment.merging(locale.map { ["LC_ALL": $0] } ?? [:]) { $1 }
                .merging(columns.map { ["AT_TERMINAL_COLUMNS": "\($0)"] } ?? [:]) { $1 },
            within: 100
        )
    }

    /// Runs a program with its stdout redirected as in a shell, for example with `>/dev/full`.
    func run(_ program: String, _ arguments: [String], stdout: String) throws -> BuiltProgram.Outcome {
        try BuiltProgram(program).run(arguments, stdout: stdout, environment: environment)
    }
}
