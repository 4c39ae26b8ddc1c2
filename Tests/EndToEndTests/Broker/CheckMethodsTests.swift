import Foundation
import OAuth
import TestSupport
import Testing

/// End-to-end tests of the JSON-RPC methods for a single check or a single credential, without a token request.
@Suite(.timeLimit(.minutes(5)))
struct CheckMethodsTests {
    private static let check: JSONValue = ["check": "PinCodeAttempts"]

    private func state(_ connection: Connection) throws -> String? {
        try connection.call("check.status", Self.check)["state"]?.string
    }

    /// Answers the flow in `start` with the user's password and then with a new PIN.
    private func set(_ pin: String, _ start: JSONValue, _ person: Person, _ connection: Connection) throws {
        let flow = try #require(start["flow"])
        #expect(flow["step"]?["type"]?.string == "password")
        let proved = try connection.submit(flow, ["password": .string(person.password)])
        let setup = try #require(proved["flow"])
        #expect(setup["step"]?["type"]?.string == "pin_setup")
        let done = try connection.submit(setup, ["pin": .string(pin)])
        #expect(done["verdict"]?.string == "accepted" && done["token"] == nil)
    }

    @Test("a check is performed before any scope needs it, shown, and ended") func check() throws {
        let machine = try Machine()
        let broker = try machine.startBroker()
        let person = Person.random()
        let connection = try machine.connect()
        #expect(try connection.refusal("check.status", Self.check).code == 1001)
        try person.signUp(connection, on: machine)
        #expect(try connection.refusal("check.login", ["check": "Nothing"]).code == 1011)
        #expect(try state(connection) == "none")
        #expect(try connection.call("check.status", ["check": "UserLogin"])["state"]?.string == "success")
        let silent: JSONValue = ["scopes": ["accessRestricted"], "prompt": "none"]
        #expect(try connection.refusal("token.acquire", silent).code == 1001)
        try set("2468", try connection.call("check.login", Self.check), person, connection)
        #expect(try state(connection) == "success")
        #expect(try connection.call("check.status", Self.check)["expiresAt"]?.int != nil)
        let token = try connection.call("token.acquire", silent)["token"]
        #expect(token?["acr"]?.string == "2" && token?["amr"]?.strings?.contains("pin") == true)

        #expect(try connection.call("check.logout", Self.check)["state"]?.string == "none")
        #expect(try connection.refusal("token.acquire", silent).code == 1001)
        _ = try person.token(connection)
        let right: JSONValue = [
            "check": "PinCodeAttempts", "credentials": ["pin": "2468"], "submissionId": "right",
        ]
        for _ in 0..<2 {
            #expect(try connection.call("check.login", right)["flow"]?["state"]?.string == "succeeded")
        }
        #expect(try state(connection) == "success")
        let wrong: JSONValue = ["check": "PinCodeAttempts", "credentials": ["pin": "0000"]]
        var flow = try connection.call("check.login", wrong)["flow"] ?? .null
        #expect(flow["step"]?["attempts"]?["remaining"]?.int == 2)
        for _ in 0..<2 { flow = try connection.submit(flow, ["pin": "0000"])["flow"] ?? .null }
        #expect(flow["state"]?.string == "failed" && flow["reason"]?.string == "blocked")
        let blocked = try connection.call("check.status", Self.check)
        #expect(blocked["state"]?.string == "blocked" && (blocked["retryAfterMs"]?.int ?? 0) > 0)
        #expect(try connection.refusal("check.login", Self.check).code == 1007)
        #expect(try connection.refusal("credential.enrol", ["type": "pin"]).code == 1007)
        #expect(try connection.call("credential.list")["credentials"]?.array?.isEmpty == true)
        broker.signal(SIGTERM)
        #expect(broker.wait() == 0)
    }

    @Test(
        "a success counts for the client that requested the scope, or for every client if the check is shared",
        arguments: [("client", "none"), ("uid", "success")]
    )
    func shared(_ share: String, _ state: String) throws {
        let machine = try Machine()
        try machine.replace("share: uid", with: "share: \(share)", in: "checks.yaml")
        let broker = try machine.startBroker()
        let person = Person.random()
        let (own, other) = (try machine.connect(), try machine.connect())
        _ = try own.call("broker.hello", ["protocol": [1], "client": ["id": "tasks-cli"]])
        try person.signUp(own, on: machine)
        let restricted: JSONValue = ["scopes": ["accessRestricted"]]
        let asked = try #require(try own.call("token.acquire", restricted)["flow"])
        let setup = try #require(try own.submit(asked, ["password": .string(person.password)])["flow"])
        #expect(try own.submit(setup, ["pin": "2468"])["token"]?["acr"]?.string == "2")
        #expect(try self.state(own) == "success")
        // `check.status` predicts whether the client's token request succeeds.
        #expect(try self.state(other) == state)
        let silent: JSONValue = ["scopes": ["accessRestricted"], "prompt": "none"]
        if state == "success" {
            #expect(try other.call("token.acquire", silent)["token"]?["acr"]?.string == "2")
        } else {
            #expect(try other.refusal("token.acquire", silent).code == 1001)
        }
        broker.signal(SIGTERM)
        #expect(broker.wait() == 0)
    }

    @Test("a wrong answer to a successful check keeps its success, for the PIN and for the password") func kept()
        throws
    {
        let machine = try Machine()
        let broker = try machine.startBroker()
        let person = Person.random()
        let connection = try machine.connect()
        try person.signUp(connection, on: machine)
        try set("2468", try connection.call("check.login", Self.check), person, connection)
        for (check, answer) in [("PinCodeAttempts", ["pin": "0000"]), ("UserLogin", ["password": "Wrong-horse-1"])] {
            let wrong: JSONValue = ["check": .string(check), "credentials": .object(answer.mapValues { .string($0) })]
            let flow = try connection.call("check.login", wrong)["flow"]
            #expect(flow?["step"]?["attempts"]?["remaining"]?.int == 2, "\(flow ?? .null)")
            let status = try connection.call("check.status", ["check": .string(check)])
            #expect(status["state"]?.string == "success", "\(status)")
        }
        let silent: JSONValue = ["scopes": ["accessRestricted"], "prompt": "none"]
        let token = try connection.call("token.acquire", silent)["token"]
        #expect(token?["fromCache"]?.bool == false && token?["amr"]?.strings?.contains("pin") == true)
        broker.signal(SIGTERM)
        #expect(broker.wait() == 0)
    }

    @Test("after the sign-in check ends no token is issued without the password, and other successes remain")
    func signInEnded() throws {
        let machine = try Machine()
        let broker = try machine.startBroker()
        let person = Person.random()
        let connection = try machine.connect()
        try person.signUp(connection, on: machine)
        func state(_ check: String) throws -> String? {
            try connection.call("check.status", ["check": .string(check)])["state"]?.string
        }
        let silent: JSONValue = ["scopes": ["tasks.read"], "prompt": "none"]
        let restricted: JSONValue = ["scopes": ["accessRestricted"], "prompt": "none"]
        _ = try person.token(connection)
        try set("2468", try connection.call("check.login", Self.check), person, connection)
        #expect(try connection.call("check.logout", ["check": "UserLogin"])["state"]?.string == "none")
        // Both checks come after the password in `order`.
        #expect(try state("UserLogin") == "none" && state("EmailCode") == "success")
        #expect(try state("PinCodeAttempts") == "success")
        for request in [silent, restricted] {
            #expect(try connection.refusal("token.acquire", request).code == 1001)
        }
        let asked = try #require(try connection.call("token.acquire", ["scopes": ["tasks.read"]])["flow"])
        #expect(asked["step"]?["type"]?.string == "password", "\(asked)")
        let answers: JSONValue = ["username": .string(person.email), "password": .string(person.password)]
        #expect(try connection.submit(asked, answers)["token"] != nil)
        #expect(try state("UserLogin") == "success")
        broker.signal(SIGTERM)
        #expect(broker.wait() == 0)
    }

    @Test("a PIN is set, changed and removed by the command, each time after the password") func command() throws {
        let machine = try Machine()
        let broker = try machine.startBroker()
        let person = Person.random()
        let connection = try machine.connect()
        try person.signUp(connection, on: machine)
        func pin(_ command: String, _ input: String) throws -> BuiltProgram.Outcome {
            try machine.tokenbroker(["pin", command, "--password-stdin"], input: input)
        }
        let missing = try pin("change", "")
        #expect(missing.status == 77 && missing.errors.contains("You have no PIN."), "\(missing.errors)")
        let set = try pin("enrol", "\(person.password)\n2468\n")
        #expect(set.status == 0 && set.output == "PIN set.\n", "\(set.errors)")
        let listed = try connection.call("credential.list", ["type": "pin"])["credentials"]?.array
        #expect(listed?.count == 1 && listed?.first?["type"]?.string == "pin" && listed?.first?["secret"] == nil)
        let again = try pin("enrol", "")
        #expect(again.status == 77 && again.errors.contains("tokenbroker pin change"), "\(again.errors)")
        let short = try pin("change", "\(person.password)\n12\n")
        #expect(short.status != 0 && short.errors.contains("at least 4"), "\(short.errors)")
        let wrong = try pin("change", "Wrong-horse-7\n1357\n")
        #expect(wrong.status == 77, "\(wrong.errors)")
        #expect(try pin("change", "\(person.password)\n1357\n").output == "PIN changed.\n")
        #expect(try connection.call("check.logout", Self.check)["state"]?.string == "none")
        let login: JSONValue = ["check": "PinCodeAttempts", "credentials": ["pin": "1357"]]
        #expect(try connection.call("check.login", login)["flow"]?["state"]?.string == "succeeded")
        #expect(try connection.call("check.logout", Self.check)["state"]?.string == "none")
        let token = ["token", "--scope", "accessRestricted", "--pin-stdin"]
        let refused = try machine.tokenbroker(token, input: "0000\n")
        #expect(refused.status == 77 && refused.output.isEmpty, "\(refused)")
        let given = try machine.tokenbroker(token, input: "1357\n")
        #expect(given.status == 0 && !given.output.isEmpty, "\(given)")
        let removed = try machine.tokenbroker(
            ["pin", "remove", "--password-stdin", "--json"],
            input: "\(person.password)\n"
        )
        #expect(try StrictJSON.parse(Array(removed.output.utf8)) == ["credential": "pin", "state": "none"])
        #expect(try connection.refusal("credential.remove", ["type": "pin"]).code == 1008)
        #expect(try connection.refusal("credential.enrol", ["type": "password"]).code == -32602)
        broker.signal(SIGTERM)
        #expect(broker.wait() == 0)
    }

    @Test("a password from standard input with a byte order mark or a NUL is refused and costs no attempt") func input()
        throws
    {
        let machine = try Machine()
        let broker = try machine.startBroker()
        let person = Person.random()
        let connection = try machine.connect()
        try person.signUp(connection, on: machine)
        for (start, end, name) in [("\u{FEFF}", "\n", "byte order mark"), ("", "\u{0}\n", "NUL")] {
            let line = start + person.password + end
            let refused = try machine.tokenbroker(["pin", "enrol", "--password-stdin"], input: line)
            #expect(refused.status == 64 && refused.errors.contains(name), "\(refused)")
        }
        let flow = try #require(try connection.call("credential.enrol", ["type": "pin"])["flow"])
        let attempts = try #require(flow["step"]?["attempts"])
        #expect(attempts["remaining"] == attempts["max"], "\(attempts)")
        _ = try connection.call("flow.cancel", ["flow": flow["id"] ?? .null])
        let lines = "\(person.password)\r\n2468\r\n"
        let set = try machine.tokenbroker(["pin", "enrol", "--password-stdin"], input: lines)
        #expect(set.status == 0 && set.output == "PIN set.\n", "\(set.errors)")
        broker.signal(SIGTERM)
        #expect(broker.wait() == 0)
    }

    @Test("if flows do not set a PIN, the command does, and the refusal names it") func noEnrolment() throws {
        let machine = try Machine()
        try machine.replace("allowEnrolment: true", with: "allowEnrolment: false", in: "checks.yaml")
        let broker = try machine.startBroker()
        let person = Person.random()
        let connection = try machine.connect()
        try person.signUp(connection, on: machine)
        let flow = try #require(try connection.call("check.login", Self.check)["flow"])
        let refused = try connection.refusal(
            "flow.submit",
            Connection.submission(flow, ["password": .string(person.password)])
        )
        #expect(refused.code == 1008 && refused.message.contains("tokenbroker pin enrol"))
        let set = try machine.tokenbroker(["pin", "enrol", "--password-stdin"], input: "\(person.password)\n2468\n")
        #expect(set.status == 0, "\(set.errors)")
        #expect(try connection.call("check.status", Self.check)["state"]?.string == "success")
        broker.signal(SIGTERM)
        #expect(broker.wait() == 0)
    }
}
