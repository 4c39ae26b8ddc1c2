import OAuth
import TestSupport
import Testing

/// Tests of the command-line programs with several accounts of one user.
@Suite(.timeLimit(.minutes(5)))
struct AccountCommandsTests {
    private func output(_ outcome: BuiltProgram.Outcome) -> String {
        #expect(outcome.status == 0, "\(outcome.errors)")
        return outcome.output
    }

    private func username(_ machine: Machine, _ arguments: [String]) throws -> String? {
        let token = try machine.tokenbroker(["token", "--json", "--no-prompt"] + arguments)
        return try StrictJSON.parse(Array(output(token).utf8))["username"]?.string
    }

    @Test("an account is selected by a user name or its beginning, else the default account is used")
    func accounts() throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        let (ada, bob) = (Person(email: "ada@example.org", name: "Ada"), Person(email: "bob@example.org", name: "Bob"))
        for person in [ada, bob] { try machine.signUp(person) }
        let ambiguous = try machine.tokenbroker(["token", "--no-prompt"])
        #expect(ambiguous.status == 1 && ambiguous.output.isEmpty)
        #expect(try username(machine, ["--account", "ada@example.org"]) == ada.email)
        #expect(try username(machine, ["--account", "bo"]) == bob.email)
        #expect(try output(machine.tokenbroker(["token", "--account", "ada"])).split(separator: ".").count == 3)
        #expect(try machine.tokenbroker(["token", "--account", "zoe"]).status == 1)

        #expect(try output(machine.tokenbroker(["use", "bob"])) == "Using bob@example.org.\n")
        #expect(try username(machine, []) == bob.email)
        #expect(try output(machine.tokenbroker(["whoami"])).contains(bob.email))
        #expect(try output(machine.tokenbroker(["token"])).split(separator: ".").count == 3)
        let status = try output(machine.tokenbroker(["status"]))
        for fact in [machine.socket, machine.configuration, machine.state, "b2c_1_sign_in", "Accounts:         2"] {
            #expect(status.contains(fact), "\(status)")
        }
        let groups = try machine.tokenbroker(["group", "list"])
        #expect(groups.output.isEmpty && groups.errors.contains("tokenbroker group add"), "\(groups)")
        let starred = try output(machine.tokenbroker(["accounts"])).split(separator: "\n").filter { $0.hasPrefix("*") }
        #expect(starred.count == 1 && starred[0].contains(bob.email))
        daemon.signal(15)
        #expect(daemon.wait() == 0)
    }

    @Test(
        "a missing key or group is a failure, a sign-out without a sign-in is not, and advice names the sign-in"
    )
    func absent() throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        for command in [["keys", "revoke", "x"], ["group", "list", "nosuch"]] {
            let outcome = try machine.tokenbroker(command)
            #expect(outcome.status == 1 && outcome.errors.contains("hint: Run `tokenbroker "), "\(outcome.errors)")
        }
        #expect(try output(machine.tokenbroker(["sign-out"])).contains("Signed out"))
        let token = try machine.tokenbroker(["token", "--no-prompt"])
        #expect(token.status == 77, "\(token.errors)")
        #expect(
            token.errors.contains("Run `tokenbroker sign-in`, or omit --no-prompt to sign in here."),
            "\(token.errors)"
        )
        let piped = try machine.tokenbroker(["token"])
        #expect(!piped.errors.contains("--no-prompt"), "\(piped.errors)")
        daemon.signal(15)
        #expect(daemon.wait() == 0)
    }

    @Test("stored tokens and available scopes are listed, and a validity that cannot be reached is reported")
    func listed() throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        let person = Person.random()
        try machine.signUp(person)
        let token = try machine.tokenbroker(["token", "--min-validity", "7d"])
        #expect(token.errors.contains("tokenbroker: warning: The token is valid for "), "\(token.errors)")
        let bearer = output(token).filter { !$0.isNewline }
        let held = try output(machine.tokenbroker(["tokens"]))
        #expect(held.contains(person.email) && held.contains("tasks.read") && !held.contains(bearer))
        let scopes = try output(machine.tokenbroker(["scopes"]))
        #expect(scopes.contains("tasks.read") && scopes.contains("b2c_1_sign_in"))
        let json = try StrictJSON.parse(Array(output(machine.tokenbroker(["scopes", "--json"])).utf8))
        #expect(json["scopes"]?.array?.contains { $0["scope"] == "tasks.write" } == true)
        daemon.signal(15)
        #expect(daemon.wait() == 0)
    }
}
