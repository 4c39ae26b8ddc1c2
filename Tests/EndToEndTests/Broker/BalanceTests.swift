import Foundation
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// Tests of requests for which a token alone is not sufficient.
@Suite(.timeLimit(.minutes(5)))
struct BalanceTests {
    /// Configures every policy to grant the scopes of tasks, and `scopes` after the checks that they require.
    private func grant(_ scopes: String, on machine: Machine) throws {
        for name in ["b2c_1_sign_in", "b2c_1_sign_up", "b2c_1_sign_up_or_in"] {
            let path = machine.policies + "/\(name).yaml"
            let text = try String(contentsOfFile: path, encoding: .utf8)
            let changed = text.replacing(
                /scopes: \{accessRestricted.*tasks\.read/,
                with: "scopes: {\(scopes)tasks.read"
            )
            try #require(changed != text)
            try changed.write(toFile: path, atomically: true, encoding: .utf8)
        }
    }

    private func token(_ scope: String, on machine: Machine) throws -> String {
        let outcome = try machine.tokenbroker(["token", "--scope", scope])
        #expect(outcome.status == 0, "\(outcome.errors)")
        return outcome.output.trimmingCharacters(in: .newlines)
    }

    @Test(
        "the balance is refused without a sign-in, without a grant of the policy, and at the API without the check"
    )
    func refused() async throws {
        let machine = try Machine()
        try grant("", on: machine)
        let broker = try machine.startBroker()
        let api = try machine.startTasks()
        let stranger = try machine.tasks(["balance"])
        #expect(stranger.status == 77 && stranger.output.isEmpty)
        #expect(
            stranger.errors
                == "tasks: error: You are not signed in.\nhint: Run `tasks sign-in`, or `tasks sign-up` to create an account.\n"
        )
        try Person.random().signUp(try machine.connect(), on: machine)
        let refused = try machine.tasks(["balance"])
        #expect(refused.status == 77 && refused.output.isEmpty)
        #expect(refused.errors.contains("does not grant tasks/accessRestricted"), "\(refused.errors)")

        let url = "\(machine.api)/api/balance"
        let answer = try await WebAnswer.to(.GET, url, token: token("tasks.read", on: machine))
        #expect(answer.status == 401 && !answer.text.contains("19938.80"))
        let challenge = try #require(answer.headers.first(name: "WWW-Authenticate").flatMap { WWWAuthenticate($0) })
        #expect(challenge.error == .insufficientUserAuthentication)
        #expect(challenge.scopes.map(\.name) == ["accessRestricted"])
        let nobody = try await WebAnswer.to(.GET, url, token: nil)
        #expect(nobody.status == 401 && nobody.headers.first(name: "WWW-Authenticate") == "Bearer")
        for program in [api, broker] {
            program.signal(SIGTERM)
            #expect(program.wait() == 0)
        }
    }

    @Test("after the check the balance is shown, also as JSON, and as text if the client accepts text")
    func shown() async throws {
        let machine = try Machine()
        try grant("accessRestricted: [UserLogin], ", on: machine)
        let broker = try machine.startBroker()
        let api = try machine.startTasks()
        try Person.random().signUp(try machine.connect(), on: machine)
        let shown = try machine.tasks(["balance"])
        #expect(shown.status == 0 && shown.output == "19938.80\n", "\(shown.errors)")
        let json = try machine.tasks(["balance", "--json"])
        #expect(try StrictJSON.parse(Array(json.output.utf8)) == ["balance": "19938.80"])
        let token = try token("accessRestricted", on: machine)
        let text = try await WebAnswer.to(.GET, "\(machine.api)/api/balance", token: token, accept: "text/plain")
        #expect(text.status == 200 && text.text == "19938.80")
        for program in [api, broker] {
            program.signal(SIGTERM)
            #expect(program.wait() == 0)
        }
    }

    @Test("at a terminal a user whose session has expired enters the password and then sees the balance")
    func atTerminal() throws {
        let machine = try Machine(hasOwnClock: true)
        try grant("accessRestricted: [UserLogin], ", on: machine)
        let broker = try machine.startBroker()
        let api = try machine.startTasks()
        let person = Person.random()
        try person.signUp(try machine.connect(), on: machine)
        // This time is longer than the lifetime of any session or token.
        try machine.wallClock?.set(by: 400 * 24 * 60)
        let alone = try machine.tasks(["balance"])
        #expect(alone.status == 77 && alone.output.isEmpty, "\(alone.output)\(alone.errors)")
        let shown = try machine.atTerminal(
            "tasks",
            ["balance"] + machine.tasksArguments,
            answers: ["E-mail=\(person.email)", "Password=\(person.password)"]
        )
        #expect(shown.status == 0 && shown.output.contains("Password"), "\(shown.output)\(shown.errors)")
        #expect(shown.output.hasSuffix("19938.80\n") && !shown.output.contains(person.password))
        for program in [api, broker] {
            program.signal(SIGTERM)
            #expect(program.wait() == 0)
        }
    }

    @Test("without a terminal a signed-in user is told which check is missing, and others to sign in")
    func proofMissing() throws {
        let machine = try Machine(hasOwnClock: true)
        try grant("accessRestricted: [EmailCode], ", on: machine)
        let broker = try machine.startBroker()
        let api = try machine.startTasks()
        let stranger = try machine.tasks(["balance"])
        #expect(stranger.status == 77 && stranger.errors.contains("You are not signed in."))
        try Person.random().signUp(try machine.connect(), on: machine)
        // The code check that succeeded at the sign-up is valid for an hour.
        try machine.wallClock?.set(by: 2 * 60)
        let refused = try machine.tasks(["balance"])
        #expect(refused.status == 77 && refused.output.isEmpty)
        #expect(refused.errors.contains("this command requires additional verification"), "\(refused.errors)")
        #expect(try machine.tasks(["list"]).status == 0)
        for program in [api, broker] {
            program.signal(SIGTERM)
            #expect(program.wait() == 0)
        }
    }

    @Test("an API that requires another scope in its challenge gets it, or the user is told what is missing")
    func challenged() throws {
        let machine = try Machine()
        try grant("accessRestricted: [UserLogin], transferPrivilege: [UserLogin], ", on: machine)
        let file = machine.folder.path("etc/tasksd.yaml")
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map(String.init)
        try machine.write(lines + ["protect: {/api/balance: transferPrivilege}"], to: "etc/tasksd.yaml")
        let broker = try machine.startBroker()
        let api = try machine.startTasks()
        try Person.random().signUp(try machine.connect(), on: machine)
        let shown = try machine.tasks(["balance"])
        #expect(shown.status == 0 && shown.output == "19938.80\n", "\(shown.errors)")
        // The API received a request that it refused, and a request after the missing check.
        #expect(api.errors().split(separator: "\n").filter { $0.contains("route=/api/balance") }.count == 2)
        try machine.write(lines + ["protect: {/api/balance: corp}"], to: "etc/tasksd.yaml")
        api.signal(SIGTERM)
        #expect(api.wait() == 0)
        let other = try machine.startTasks()
        let refused = try machine.tasks(["balance"])
        #expect(refused.status == 77 && refused.output.isEmpty)
        #expect(refused.errors.contains("corp"), "\(refused.errors)")
        for program in [other, broker] {
            program.signal(SIGTERM)
            #expect(program.wait() == 0)
        }
    }

    @Test("an API that also refuses the stronger token gets no third request, and the user is told")
    func refusedAgain() throws {
        let machine = try Machine()
        try grant("accessRestricted: [UserLogin], ", on: machine)
        let api = try RecordingAPI()
        try machine.write(["api: \(api.base)"], to: "etc/tasks.yaml")
        try machine.allow(origin: api.base)
        let broker = try machine.startBroker()
        try Person.random().signUp(try machine.connect(), on: machine)
        let refused = try machine.tasks(["balance"])
        #expect(refused.status == 77 && refused.output.isEmpty, "\(refused.output)\(refused.errors)")
        #expect(
            refused.errors.contains("hint: Your sign-in did not use the required authentication methods."),
            "\(refused.errors)"
        )
        let asked = try api.requests().filter { $0.path == "/api/balance" }
        let tokens = asked.map { $0.headers["authorization"] }
        #expect(tokens.count == 2 && Set(tokens).count == 2, "\(tokens.count)")
        broker.signal(SIGTERM)
        #expect(broker.wait() == 0)
    }

    @Test("the balance requires a PIN: set after the password, wrong, right, and removed after too many wrong ones")
    func pin() throws {
        let machine = try Machine(hasOwnClock: true)
        let broker = try machine.startBroker()
        let api = try machine.startTasks()
        let person = Person.random()
        try person.signUp(try machine.connect(), on: machine)
        func balance(_ answers: String...) throws -> BuiltProgram.Outcome {
            try machine.atTerminal("tasks", ["balance"] + machine.tasksArguments, answers: answers)
        }
        let first = try balance(
            "E-mail=\(person.email)",
            "Password=\(person.password)",
            "New PIN=280491736455",
            "New PIN again=280491736455"
        )
        #expect(first.status == 0 && first.output.hasSuffix("19938.80\n"), "\(first.output)\(first.errors)")
        #expect(!first.output.contains("280491736455") && first.output.contains("4 to 12 digits"))
        // A successful PIN check is valid for a minute, so the PIN is not prompted for now.
        #expect(try machine.tasks(["balance"]).output == "19938.80\n")
        try machine.wallClock?.set(by: 2)
        let alone = try machine.tasks(["balance"])
        #expect(alone.status == 77 && alone.output.isEmpty, "\(alone.output)\(alone.errors)")
        let second = try balance("PIN=0000", "PIN=280491736455")
        #expect(second.status == 0 && second.output.hasSuffix("19938.80\n"), "\(second.output)\(second.errors)")
        #expect(second.output.contains("You need your PIN to access this data."))
        #expect(second.output.contains("That PIN is not correct."))
        try machine.wallClock?.set(by: 4)
        let blocked = try balance("PIN=0000", "PIN=0001", "PIN=0002")
        #expect(blocked.status == 75, "\(blocked.output)\(blocked.errors)")
        let again = try balance()
        #expect(again.status == 75 && !again.output.contains("19938"), "\(again.output)\(again.errors)")
        // Requests that require no PIN still succeed.
        #expect(try machine.tasks(["list"]).status == 0)
        for program in [api, broker] {
            program.signal(SIGTERM)
            #expect(program.wait() == 0)
        }
    }

    @Test("a path may require a context and an age, and one step-up satisfies both") func demanded() throws {
        let machine = try Machine(hasOwnClock: true)
        let file = machine.folder.path("etc/tasksd.yaml")
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map(String.init)
        let protect = #"protect: {/api/balance: {scope: tasks.read, acrValues: ["2"], maxAge: 300}}"#
        try machine.write(lines + [protect], to: "etc/tasksd.yaml")
        try grant("accessRestricted: [], transferPrivilege: [PinCodeAttempts], ", on: machine)
        let broker = try machine.startBroker()
        let api = try machine.startTasks()
        let person = Person.random()
        try person.signUp(try machine.connect(), on: machine)
        let token = try token("tasks.read", on: machine)
        let answer = try machine.tasks(["balance"])
        #expect(answer.status == 77 && !token.isEmpty, "\(answer.output)\(answer.errors)")
        let shown = try machine.atTerminal(
            "tasks",
            ["balance"] + machine.tasksArguments,
            answers: [
                "E-mail=\(person.email)", "Password=\(person.password)", "New PIN=280491736455",
                "New PIN again=280491736455",
            ]
        )
        #expect(shown.status == 0 && shown.output.hasSuffix("19938.80\n"), "\(shown.output)\(shown.errors)")
        for program in [api, broker] {
            program.signal(SIGTERM)
            #expect(program.wait() == 0)
        }
    }
}
