import TestSupport
import Testing

/// The keys of a terminal while a program asks.
@Suite(.timeLimit(.minutes(3)))
struct TerminalKeysTests {
    @Test("a sign-up says the password's rule first, and where the code is; one wrong answer is asked for alone")
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
            ]
        )
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        for sentence in [
            "Write the whole address, such as ada@example.org.",
            "8 to 64 characters, 3 of these: small letters, capitals, digits, symbols",
            "A code was sent to a•••@example.org (in the outbox \(machine.outbox)).",
        ] {
            #expect(outcome.output.contains(sentence), "\(outcome.output)")
        }
        daemon.signal(15)
        #expect(daemon.wait() == 0)
    }

    @Test("Ctrl-Z stops it with the terminal in order, and the question comes again; no attempt is lost")
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
        // What the shell calls the signal: 256 - SIGQUIT, as Python has it.
        #expect(quit.status == 253, "\(quit.output)\(quit.errors)")
        daemon.signal(15)
        #expect(daemon.wait() == 0)
    }
}
