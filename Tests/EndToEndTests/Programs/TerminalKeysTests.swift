import Foundation
import TestSupport
import Testing

/// Tests of control keys and signals during a prompt at a terminal.
@Suite(.timeLimit(.minutes(3)))
struct TerminalKeysTests {
    @Test("a sign-up shows the password rule first and where the code is, and repeats only a rejected prompt")
    func signUp() throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        let outcome = try machine.atTerminal(
            "tokenbroker",
            ["sign-up"],
            answers: [
                "E-mail=ann", "E-mail=ann@example.org", "Display name=Ann", "City=", "Team=red",
                "New password=allsmall",
                "New password again=allsmall", "New password=Correct-horse-7", "New password again=Correct-horse-7",
                "Code=@code:\(machine.outbox)",
            ],
            columns: 60
        )
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        // The program wraps its output, so only a single long word may be wider than the terminal.
        let long = outcome.output.split(whereSeparator: \.isNewline).filter { $0.count > 60 && $0.contains(" ") }
        #expect(long.isEmpty, "\(long)")
        let words = outcome.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        for sentence in [
            "Enter a complete e-mail address, such as ada@example.org.",
            "8 to 64 characters, 3 of these: lowercase, uppercase, digits, symbols",
            "The code for a•••@example.org was stored in the outbox \(machine.outbox).",
        ] {
            #expect(words.contains(sentence), "\(outcome.output)")
        }
        daemon.signal(15)
        #expect(daemon.wait() == 0)
    }

    @Test("Ctrl-Z restores the terminal, the prompt appears again afterwards, and no attempt is lost")
    func suspended() throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        let person = Person.random()
        try person.signUp(try machine.connect(), on: machine)
        let outcome = try machine.atTerminal(
            "tokenbroker",
            ["sign-in"],
            answers: [
                "E-mail=@suspend", "E-mail=\(person.email)", "Password=@suspend", "Password=\(person.password)",
            ]
        )
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        #expect(!outcome.output.contains("attempt"))
        let quit = try machine.atTerminal(
            "tokenbroker",
            ["sign-in"],
            answers: ["E-mail=\(person.email)", "Password=@quit"]
        )
        // If SIGQUIT ends the program, the Python script exits with the status 256 - SIGQUIT.
        #expect(quit.status == 253, "\(quit.output)\(quit.errors)")
        daemon.signal(15)
        #expect(daemon.wait() == 0)
    }

    /// Runs a program as a job of a shell, and prints the terminal's mode and the unread input afterwards.
    private func inShell(
        _ machine: Machine,
        _ program: String,
        _ arguments: [String],
        answers: [String],
        _ script: String = ""
    ) throws -> BuiltProgram.Outcome {
        let shell = """
            set -m
            look() {
                case "$(stty -a)" in *" -echo "* | *" -icanon "*) echo mode=changed ;; *) echo mode=usual ;; esac
                left=; IFS= read -r -t 0.2 -n 64 left; echo "left=[$left]"
            }
            "$0" "$@"
            echo "status=$?"
            look
            \(script)
            """
        let command = [ProjectFolder.path + "/scripts/at-terminal"] + answers + ["--", "/bin/bash", "-c", shell]
        return try BuiltProgram(path: "/usr/bin/python3").run(
            command + [BuiltProgram(program).url.path] + arguments,
            environment: machine.environment,
            within: 100
        )
    }

    @Test(
        "a signal during a secret restores the terminal and leaves no input for the shell",
        arguments: ["INT", "TERM", "HUP", "QUIT", "ALRM", "USR1", "USR2", "VTALRM", "XCPU", "PWR"]
    )
    func ended(_ signal: String) throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        let person = Person.random()
        try person.signUp(try machine.connect(), on: machine)
        for (program, arguments, answers) in [
            ("tokenbroker", ["lock"], []), ("tasks", ["sign-in"] + machine.tasksArguments, ["E-mail=\(person.email)"]),
        ] {
            let prompt = program == "tasks" ? "Password" : "New passphrase"
            let outcome = try inShell(
                machine,
                program,
                arguments,
                answers: answers + ["\(prompt)=@half:\(signal):half-typed"]
            )
            #expect(outcome.output.contains("mode=usual"), "\(program) \(outcome.output)\(outcome.errors)")
            #expect(outcome.output.contains("left=[]"), "\(program) \(outcome.output)")
            #expect(!outcome.output.contains("half-typed") && !outcome.output.contains("status=0"), "\(outcome.output)")
        }
        daemon.signal(15)
        #expect(daemon.wait() == 0)
    }

    @Test("a stopped prompt ends with `kill %1`, and does not appear again", arguments: ["TERM", "HUP"])
    func killed(_ signal: String) throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        let outcome = try inShell(
            machine,
            "tokenbroker",
            ["lock"],
            answers: ["New passphrase=@half:TSTP:half-typed"],
            "kill -\(signal) %1; kill -CONT %1 2>/dev/null; wait %1; echo \"killed=$?\"; look"
        )
        // Either the signal or the cancelled prompt ends the program, depending on which the kernel handles first.
        let ended = ["killed=143", "killed=129", "killed=77"].contains { outcome.output.contains($0) }
        #expect(ended, "\(outcome.output)\(outcome.errors)")
        #expect(!outcome.output.contains("half-typed") && !outcome.output.contains("mode=changed"), "\(outcome.output)")
        #expect(outcome.output.components(separatedBy: "New passphrase").count == 2, "\(outcome.output)")
        daemon.signal(15)
        #expect(daemon.wait() == 0)
    }

    @Test("a secret that is interrupted by a stop is prompted for again, without echo", arguments: ["TSTP", "STOP"])
    func stopped(_ signal: String) throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        let outcome = try inShell(
            machine,
            "tokenbroker",
            ["lock"],
            answers: [
                "New passphrase=@half:\(signal):half-typed", "New passphrase=Planted-grey-heron",
                "Repeat the passphrase=Planted-grey-heron",
            ],
            "stty echo icanon; fg; echo \"again=$?\"; look"
        )
        #expect(outcome.output.contains("again=0"), "\(outcome.output)\(outcome.errors)")
        #expect(!outcome.output.contains("heron"), "\(outcome.output)")
        let looks = outcome.output.split(separator: "\n").filter { $0.hasPrefix("mode=") || $0.hasPrefix("left=") }
        // A program cannot restore the terminal before SIGSTOP, so only the last state is checked for both signals.
        #expect(looks.suffix(2) == ["mode=usual", "left=[]"], "\(looks)")
        daemon.signal(15)
        #expect(daemon.wait() == 0)
        guard signal == "TSTP" else { return }
        #expect(!outcome.output.contains("half-typed"), "\(outcome.output)")
        #expect(looks == ["mode=usual", "left=[]", "mode=usual", "left=[]"], "\(looks)")
    }
}
