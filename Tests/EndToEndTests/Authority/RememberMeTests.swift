import Foundation
import OAuth
import TestSupport
import Testing

/// Tests of users who chose to be remembered, and of the effect of a wrong answer.
@Suite(.timeLimit(.minutes(5)))
struct RememberMeTests {
    /// Returns a machine whose policies remember users for three days.
    private func machine() throws -> Machine {
        let machine = try Machine(hasOwnClock: true)
        let path = machine.policies + "/checks.yaml"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let changed = text.replacing("rememberMeDurationSec: 0", with: "rememberMeDurationSec: 259200")
        try #require(changed != text)
        try changed.write(toFile: path, atomically: true, encoding: .utf8)
        return machine
    }

    private func stop(_ daemon: RunningProgram) {
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0, "\(daemon.errors())")
    }

    /// Returns the parameters of a silent token request for a client that has no cached token.
    private func other(_ client: String) -> JSONValue {
        ["scopes": ["tasks.read"], "client": .string(client), "prompt": "none"]
    }

    @Test("at the terminal the password step offers to remember the user; yes survives the session and a restart")
    func terminal() throws {
        let machine = try machine()
        var daemon = try machine.startBroker()
        let person = Person.random()
        try person.signUp(try machine.connect(), on: machine)
        let asked = try machine.atTerminal(
            "tokenbroker",
            ["sign-in"],
            answers: ["E-mail=\(person.email)", "Password=\(person.password)", "Remember me on this device=y"]
        )
        #expect(
            asked.status == 0 && asked.output.contains("Remember me on this device (yes, no) (optional)"),
            "\(asked.output)\(asked.errors)"
        )
        stop(daemon)
        try machine.wallClock?.set(by: 2 * 24 * 60)
        daemon = try machine.startBroker()
        let connection = try machine.connect()
        let token = try connection.call("token.acquire", other("tasks-cli"))["token"]
        #expect(token?["amr"]?.strings == ["pwd"], "\(token ?? .null)")
        let signedOut = try machine.tokenbroker(["sign-out", "--all"])
        #expect(signedOut.status == 0, "\(signedOut.errors)")
        #expect(try connection.refusal("token.acquire", other("tasks-cli")).code == 1001)
        stop(daemon)
    }

    @Test("at the socket the password step has the node rememberMe; after no the next session requires the password")
    func socket() throws {
        let machine = try machine()
        let daemon = try machine.startBroker()
        let person = Person.random()
        let connection = try machine.connect()
        try person.signUp(connection, on: machine)
        let started = try connection.call("flow.start", ["policy": "b2c_1_sign_in", "requestId": "r1"])
        let flow = try #require(started["flow"])
        let node = flow["step"]?["nodes"]?.array?.last
        #expect(node?["name"]?.string == "rememberMe" && node?["kind"]?.string == "bool")
        let wrong = try connection.refusal(
            "flow.submit",
            Connection.submission(
                flow,
                ["username": .string(person.email), "password": .string(person.password), "rememberMe": "yes"]
            )
        )
        #expect(wrong.code == 1006 && wrong.data["nodes"]?.array?.first?["name"]?.string == "rememberMe")
        #expect(try person.signIn(connection) == "accepted")
        try machine.wallClock?.set(by: 2 * 24 * 60)
        #expect(try connection.refusal("token.acquire", other("tasks-cli")).code == 1001)
        stop(daemon)
    }

    @Test("a wrong re-authentication keeps an existing success at the socket") func wrongAgain() throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        var person = Person.random()
        let connection = try machine.connect()
        try person.signUp(connection, on: machine)
        let first = try person.token(connection)
        let right = person.password
        person.password = "Wrong-horse-7"
        #expect(try person.signIn(connection) == "rejected")
        let login: JSONValue = [
            "check": "UserLogin", "submissionId": "again",
            "credentials": ["username": .string(person.email), "password": "Wrong-horse-8"],
        ]
        #expect(try connection.call("check.login", login)["flow"]?["state"]?.string == "challenge")
        person.password = right
        #expect(try connection.call("check.status", ["check": "UserLogin"])["state"]?.string == "success")
        #expect(try person.token(connection)["accessToken"] == first["accessToken"])
        // Another client, which has no token, gets a token that is based on the same successful check.
        let token = try connection.call("token.acquire", other("tasks-cli"))["token"]
        #expect(token?["authTime"]?.int == first["authTime"]?.int)
        stop(daemon)
    }
}
