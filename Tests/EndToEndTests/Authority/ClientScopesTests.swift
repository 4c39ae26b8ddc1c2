import Foundation
import OAuth
import TestSupport
import Testing

/// Tests of the additional checks that a scope requires only for one client.
@Suite(.timeLimit(.minutes(5)))
struct ClientScopesTests {
    private func machine(_ clientScopes: String) throws -> Machine {
        let machine = try Machine()
        let file = machine.policies + "/b2c_1_sign_up.yaml"
        let text = try String(contentsOfFile: file, encoding: .utf8)
        try (text + "clientScopes: \(clientScopes)\n").write(toFile: file, atomically: true, encoding: .utf8)
        return machine
    }

    @Test("a scope of one client requires a PIN, that of another does not, and a refresh does not weaken this")
    func token() throws {
        let machine = try machine("{tasks-cli: {tasks.write: [PinCodeAttempts]}}")
        let daemon = try machine.startBroker()
        let connection = try machine.connect()
        let person = Person.random()
        try person.signUp(connection, on: machine)
        func asked(_ client: String, _ scope: String, _ more: [String: JSONValue] = [:]) -> JSONValue {
            let params: [String: JSONValue] = [
                "policy": "b2c_1_sign_up", "client": .string(client), "scopes": [.string(scope)],
            ]
            return .object(params.merging(more) { $1 })
        }
        let silent: [String: JSONValue] = ["prompt": "none"]
        #expect(try connection.call("token.acquire", asked("tokenbroker-cli", "tasks.write", silent))["token"] != nil)
        #expect(try connection.call("token.acquire", asked("tasks-cli", "tasks.read", silent))["token"] != nil)
        #expect(try connection.refusal("token.acquire", asked("tasks-cli", "tasks.write", silent)).code == 1001)
        // A request without scopes gets the scopes that require no further check.
        let usual: JSONValue = ["policy": "b2c_1_sign_up", "client": "tasks-cli", "scopes": [], "prompt": "none"]
        let given = try connection.call("token.acquire", usual)["token"]?["scopes"]?.strings ?? []
        #expect(given.contains("tasks.read") && !given.contains("tasks.write"), "\(given)")
        let flow = try #require(try connection.call("token.acquire", asked("tasks-cli", "tasks.write"))["flow"])
        let setup = try #require(try connection.submit(flow, ["password": .string(person.password)])["flow"])
        #expect(setup["step"]?["type"] == "pin_setup", "\(setup)")
        let token = try connection.submit(setup, ["pin": "2468"])["token"]
        #expect(token?["acr"] == "2" && token?["scopes"]?.strings?.contains("tasks.write") == true, "\(token ?? .null)")
        // A successful PIN check is valid for a minute, and the token must not be valid longer.
        let life = ((token?["expiresAt"]?.int ?? 0) - Int64(Date().timeIntervalSince1970 * 1000)) / 1000
        #expect((1...61).contains(life), "\(life)")
        _ = try connection.call("check.logout", ["check": "PinCodeAttempts"])
        let fresh = silent.merging(["forceRefresh": true]) { $1 }
        #expect(try connection.refusal("token.acquire", asked("tasks-cli", "tasks.write", fresh)).code == 1001)
        #expect(try connection.call("token.acquire", asked("tokenbroker-cli", "tasks.write", fresh))["token"] != nil)
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
    }

    @Test(
        "an unknown client, check or scope is named with its file and line, and the daemon does not start",
        arguments: [
            (
                "{task-cli: {tasks.read: [UserLogin]}}",
                "`clients` in tokenbrokerd.yaml does not contain it; did you mean tasks-cli?"
            ),
            ("{tasks-cli: {tasks.read: [Pin]}}", "unknown check Pin: checks.yaml does not contain it"),
            ("{tasks-cli: {tasks.red: [UserLogin]}}", "`scopes` does not grant tasks.red; did you mean tasks.read?"),
        ]
    )
    func refused(_ clientScopes: String, problem: String) throws {
        let machine = try machine(clientScopes)
        let outcome = try machine.runBroker(["--check"])
        let text = outcome.output + outcome.errors
        #expect(outcome.status == 78 && text.contains(problem), "\(outcome.status) \(text)")
        #expect(text.contains(#/b2c_1_sign_up\.yaml:\d+: /#), "\(text)")
    }

    @Test("`policy check` explains which checks a client's scopes and a validation require") func explained() throws {
        let machine = try Machine()
        let file = machine.folder.path("etc/policies/b2c_1_own.yaml")
        try machine.write(
            [
                "kind: sign-in", "scopes: {tasks.read: []}",
                "clientScopes: {tasks-cli: {tasks.read: [PinCodeAttempts]}}",
                "predicates: {a: {method: matchesRegex, pattern: a, help: {en: A}}, "
                    + "b: {method: matchesRegex, pattern: b, help: {en: B}}}",
                "validations: {either: [{predicates: [a, b], atLeast: 1}]}",
            ],
            to: "etc/policies/b2c_1_own.yaml"
        )
        let english = try machine.tokenbroker(["policy", "check", file])
        #expect(english.output.contains("the scope tasks.read also requires PinCodeAttempts for the client tasks-cli"))
        #expect(english.output.contains("the validation either requires at least 1 of a, b"), "\(english.output)")
        let german = try machine.tokenbroker(["policy", "check", file], environment: ["LC_ALL": "de_DE.UTF-8"])
        #expect(german.output.contains("verlangt außerdem PinCodeAttempts"), "\(german.output)")
        #expect(german.output.contains("die Prüfung either verlangt mindestens 1 von a, b"))
    }
}
