import Credentials
import Foundation
import NIOHTTP1
import OAuth
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct SecondFactorTests {
    /// Sets `secondFactor` of the sign-in policy to this rule.
    private func ask(_ rule: String, on machine: Machine) throws {
        let path = machine.policies + "/b2c_1_sign_in.yaml"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            .filter { !$0.hasPrefix("secondFactor:") }
        try (lines.joined(separator: "\n") + "\nsecondFactor: \(rule)\n")
            .write(toFile: path, atomically: true, encoding: .utf8)
    }

    /// Starts a sign-in, submits the right password, and returns the flow.
    private func password(_ person: Person, _ connection: Connection) throws -> JSONValue {
        let started = try connection.call(
            "flow.start",
            ["policy": "b2c_1_sign_in", "requestId": .string("in-\(UInt64.random(in: 0 ... .max))")]
        )
        let answers: JSONValue = ["username": .string(person.email), "password": .string(person.password)]
        let answered = try connection.submit(try #require(started["flow"]), answers)
        return try #require(answered["flow"])
    }

    private func mails(_ machine: Machine) throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: machine.outbox))
    }

    /// Waits for a mail that is not in `before`, and returns the code in it.
    private func newCode(_ machine: Machine, besides before: Set<String>) throws -> String {
        var code: String?
        try blockUntil("another mail arrives") {
            for name in try mails(machine).subtracting(before) where name.hasSuffix(".eml") {
                let text = try String(contentsOfFile: machine.outbox + "/" + name, encoding: .utf8)
                code = text.split(whereSeparator: \.isNewline).last { $0.count == 6 && $0.allSatisfy(\.isNumber) }
                    .map(String.init)
            }
            return code != nil
        }
        return try #require(code)
    }

    private func type(_ flow: JSONValue) -> String? { flow["step"]?["type"]?.string }

    @Test("on a new device the app's code is required, and a page sets up the app with a QR code and a key")
    func newDevice() async throws {
        let machine = try Machine()
        try ask("{when: newDevice, checks: [Authenticator]}", on: machine)
        let broker = try machine.startBroker()
        let person = Person.random()
        let connection = try machine.connect()
        try person.signUp(connection, on: machine)
        // The browser is a new device, so its page asks the user to set up the authenticator app.
        var browser = WebBrowser()
        let first = try await browser.open(machine.authorizeAddress(scope: "openid"))
        let setup = try await browser.submit(first, ["username": person.email, "password": person.password])
        #expect(setup.text.contains("<svg") && setup.text.contains("Add an authenticator app"), "\(setup.text)")
        let shown = try #require(setup.text.firstMatch(of: /([A-Z2-7]{4} ){7}[A-Z2-7]{4}/)).0
        let app = try AuthenticatorApp(typed: String(shown))
        let codes = try await browser.submit(setup, ["code": app.code()])
        #expect(codes.text.matches(of: /[A-Z2-7]{5}-[A-Z2-7]{5}/).count == 8, "\(codes.text)")
        let done = try await browser.submit(codes, ["kept": "true"])
        let location = try destination(of: done)
        #expect(location.contains("code=") && location.hasPrefix("http://localhost:7777"))

        // On the socket, the uid is the device. It is new until the first code is accepted, and known afterwards.
        let asked = try password(person, connection)
        #expect(type(asked) == "totp")
        #expect(try connection.submit(asked, ["code": .string(app.code())])["verdict"]?.string == "accepted")
        #expect(try password(person, connection)["state"]?.string == "succeeded")
        let token = try connection.call(
            "token.acquire",
            [
                "policy": "b2c_1_sign_in", "scopes": ["tasks.read"], "prompt": "none",
            ]
        )["token"]
        // A known device does not count as a second factor.
        #expect(token?["acr"]?.string == "1")
        broker.signal(SIGTERM)
        #expect(broker.wait() == 0)
    }

    @Test("with `always` a session without the second factor gives no token, and a code by mail completes it")
    func always() throws {
        let machine = try Machine()
        try ask("{when: always, checks: [Authenticator, EmailCode]}", on: machine)
        let broker = try machine.startBroker()
        let person = Person.random()
        let connection = try machine.connect()
        try person.signUp(connection, on: machine)
        let silent: JSONValue = ["policy": "b2c_1_sign_in", "scopes": ["tasks.read"], "prompt": "none"]
        for _ in 0..<2 {
            let before = try mails(machine)
            let asked = try password(person, connection)
            #expect(type(asked) == "code" && asked["step"]?["check"]?.string == "EmailCode")
            #expect(try connection.refusal("flow.submit", Connection.submission(asked, ["code": "1"])).code == 1006)
            let done = try connection.submit(asked, ["code": .string(try newCode(machine, besides: before))])
            #expect(done["flow"]?["state"]?.string == "succeeded")
        }
        #expect(try connection.call("token.acquire", silent)["token"]?["amr"]?.array?.contains("otp") == true)
        broker.signal(SIGTERM)
        #expect(broker.wait() == 0)
    }

    @Test("a user with an app and an address chooses between them, in a browser, at the socket and at a terminal")
    func choice() async throws {
        let machine = try Machine()
        try ask("{when: always, checks: [Authenticator, EmailCode]}", on: machine)
        let broker = try machine.startBroker()
        let person = Person.random()
        let connection = try machine.connect()
        try person.signUp(connection, on: machine)
        let enrol = try #require(try connection.call("credential.enrol", ["type": "totp"])["flow"])
        let setup = try #require(try connection.submit(enrol, ["password": .string(person.password)])["flow"])
        let app = try AuthenticatorApp(setup)
        let codes = try #require(try connection.submit(setup, ["code": .string(app.code())])["flow"])
        #expect(try connection.submit(codes, ["kept": true])["verdict"]?.string == "accepted")

        let asked = try password(person, connection)
        #expect(type(asked) == "totp")
        let choices = asked["step"]?["data"]?["choices"]
        #expect(choices == [["value": "EmailCode", "label": "Send a code by e-mail"]])
        var action: [String: JSONValue] = [
            "flow": asked["id"] ?? .null, "step": asked["step"]?["id"] ?? .null, "action": "choose",
            "submissionId": "choice",
        ]
        #expect(try connection.refusal("flow.action", .object(action)).code == 1006)
        action["value"] = "EmailCode"
        var before = try mails(machine)
        let mail = try #require(try connection.call("flow.action", .object(action))["flow"])
        #expect(type(mail) == "code" && mail["step"]?["data"]?["hint"] != nil)
        let done = try connection.submit(mail, ["code": .string(try newCode(machine, besides: before))])
        #expect(done["flow"]?["state"]?.string == "succeeded")

        var browser = WebBrowser()
        let first = try await browser.open(machine.authorizeAddress(scope: "openid"))
        let page = try await browser.submit(first, ["username": person.email, "password": person.password])
        #expect(page.text.contains(">Send a code by e-mail</span>"), "\(page.text)")
        before = try mails(machine)
        let other = try await browser.submit(page, ["_choice": "EmailCode"])
        #expect(other.text.contains(">Use your authenticator app</span>"), "\(other.text)")
        let left = try await browser.submit(other, ["code": try newCode(machine, besides: before)])
        #expect(try destination(of: left).contains("code="), "\(left.status) \(left.text)")

        let shown = try machine.atTerminal(
            "tokenbroker",
            ["sign-in", "--policy", "b2c_1_sign_in"],
            answers: [
                "E-mail=\(person.email)", "Password=\(person.password)",
                "Code from the app=:choose EmailCode", "Code=@code:\(machine.outbox)",
            ]
        )
        #expect(shown.status == 0 && shown.output.contains("Signed in as"), "\(shown.output)\(shown.errors)")
        #expect(shown.output.contains("Send a code by e-mail: type :choose EmailCode."))
        broker.signal(SIGTERM)
        #expect(broker.wait() == 0)
    }

    @Test(
        "a rule that requires nothing, or the same factor again, is refused by name",
        arguments: [
            ("{when: always}", "`secondFactor.checks` is empty"),
            ("{when: never, checks: [EmailCode]}", "has no effect"),
            ("{when: always, checks: [UserLogin]}", "a first factor"),
            ("{when: sometimes, checks: [EmailCode]}", "sometimes"),
            ("{when: always, checks: [Emailcode]}", "did you mean EmailCode?"),
        ]
    )
    func refused(_ rule: String, _ words: String) throws {
        let machine = try Machine()
        try ask(rule, on: machine)
        let outcome = try machine.tokenbroker(["policy", "check", machine.policies + "/b2c_1_sign_in.yaml"])
        #expect(outcome.status != 0 && (outcome.output + outcome.errors).contains(words), "\(outcome)")
    }
}
