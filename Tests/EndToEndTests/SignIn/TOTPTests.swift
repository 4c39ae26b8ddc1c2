import Foundation
import OAuth
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct TOTPTests {
    @Test("an authenticator is added, accepts each code once, is replaced with a recovery code, and removed")
    func whole() throws {
        let machine = try Machine()
        let broker = try machine.startBroker()
        let person = Person.random()
        let connection = try machine.connect()
        try person.signUp(connection, on: machine)
        let missing = try machine.tokenbroker(["totp", "remove", "--password-stdin"], input: "")
        #expect(
            missing.status == 77 && missing.errors.contains("You have not set up an authenticator app."),
            "\(missing.errors)"
        )
        #expect(try connection.refusal("credential.remove", ["type": "totp"]).code == 1008)

        let asked = try #require(try connection.call("credential.enrol", ["type": "totp"])["flow"])
        #expect(asked["step"]?["type"]?.string == "password")
        let setup = try #require(try connection.submit(asked, ["password": .string(person.password)])["flow"])
        #expect(setup["step"]?["type"]?.string == "totp_setup")
        #expect(AuthenticatorApp.node("uri", setup)?.hasPrefix("otpauth://totp/Tokenbroker%3A") == true)
        let app = try AuthenticatorApp(setup)
        let first = app.code()
        let shown = try #require(try connection.submit(setup, ["code": .string(first)])["flow"])
        #expect(shown["step"]?["type"]?.string == "recovery_codes")
        let recovery = try (1...8).map { try #require(AuthenticatorApp.node("recovery\($0)", shown)) }
        let done = try connection.submit(shown, ["kept": true])
        #expect(done["verdict"]?.string == "accepted")
        #expect(try connection.refusal("credential.enrol", ["type": "totp"]).code == 1008)
        let again = try machine.tokenbroker(["totp", "enrol", "--password-stdin"], input: "")
        #expect(
            again.status == 77 && again.errors.contains("You have already set up an authenticator app."),
            "\(again.errors)"
        )
        let listed = try connection.call("credential.list")["credentials"]?.array
        #expect(listed?.count == 1 && listed?.first?["type"]?.string == "totp")

        let check: JSONValue = ["check": "Authenticator"]
        #expect(try connection.call("check.status", check)["state"]?.string == "success")
        func login(_ code: String) throws -> JSONValue? {
            let login: JSONValue = ["check": "Authenticator", "credentials": ["code": .string(code)]]
            return try connection.call("check.login", login)["flow"]
        }
        let replayed = try login(first)
        #expect(replayed?["step"]?["attempts"]?["remaining"]?.int == 4)
        let second = app.code()
        #expect(try login(second)?["state"]?.string == "succeeded")
        #expect(try login(second)?["step"]?["attempts"]?["remaining"]?.int == 4)
        #expect(try login(recovery[0])?["state"]?.string == "succeeded")
        #expect(try login(recovery[0])?["step"]?["attempts"]?["remaining"]?.int == 4)

        let wrong = try machine.tokenbroker(
            ["totp", "remove", "--password-stdin"],
            input: "\(person.password)\n\(recovery[0])\n"
        )
        #expect(wrong.status == 77, "\(wrong.errors)")
        let removed = try machine.tokenbroker(
            ["totp", "remove", "--password-stdin", "--json"],
            input: "\(person.password)\n\(recovery[1])\n"
        )
        #expect(removed.status == 0, "\(removed.errors)")
        #expect(try StrictJSON.parse(Array(removed.output.utf8)) == ["credential": "totp", "state": "none"])
        #expect(try connection.call("credential.list")["credentials"]?.array?.isEmpty == true)
        broker.signal(SIGTERM)
        #expect(broker.wait() == 0)
    }

    @Test(
        "`totp enrol` at a terminal shows the key, as a QR code if it fits, and ends with the recovery codes",
        arguments: [100, 40]
    )
    func atTerminal(_ columns: Int) throws {
        let machine = try Machine()
        let broker = try machine.startBroker()
        let person = Person.random()
        try person.signUp(try machine.connect(), on: machine)
        let shown = try machine.atTerminal(
            "tokenbroker",
            ["totp", "enrol"],
            answers: [
                "E-mail=\(person.email)", "Password=\(person.password)",
                "Code from the app=@totp:\(machine.folder.path("app"))", "I have saved the codes=y",
            ],
            columns: columns
        )
        #expect(shown.status == 0, "\(shown.output)\(shown.errors)")
        #expect(shown.output.contains("Recovery code 8") && shown.output.contains("Authenticator added."))
        #expect(shown.output.contains("█") == (columns == 100) && !shown.output.contains(person.password))
        let asked = try machine.atTerminal(
            "tokenbroker",
            ["totp", "remove"],
            answers: [
                "E-mail=\(person.email)", "Password=\(person.password)",
                "Code from the app=@totp:\(machine.folder.path("app"))",
            ]
        )
        #expect(asked.status == 0, "\(asked.output)\(asked.errors)")
        broker.signal(SIGTERM)
        #expect(broker.wait() == 0)
    }

    @Test("neither the store nor the log contains an authenticator key or recovery code in clear text") func secrecy()
        throws
    {
        let machine = try Machine()
        let broker = try machine.startBroker()
        let person = Person.random()
        let connection = try machine.connect()
        try person.signUp(connection, on: machine)
        let asked = try #require(try connection.call("credential.enrol", ["type": "totp"])["flow"])
        let setup = try #require(try connection.submit(asked, ["password": .string(person.password)])["flow"])
        let typed = try #require(AuthenticatorApp.node("secret", setup))
        let app = try AuthenticatorApp(setup)
        let shown = try #require(try connection.submit(setup, ["code": .string(app.code())])["flow"])
        let recovery = try #require(AuthenticatorApp.node("recovery1", shown))
        #expect(try connection.submit(shown, ["kept": true])["verdict"]?.string == "accepted")
        broker.signal(SIGTERM)
        #expect(broker.wait() == 0)
        let secrets = [typed, recovery].flatMap { [$0, $0.filter { $0 != " " && $0 != "-" }] }
        for secret in secrets { #expect(try !broker.log().contains(secret)) }
        let state = machine.state
        let files = FileManager.default.enumerator(atPath: state)?.compactMap { $0 as? String } ?? []
        #expect(files.contains { $0.hasSuffix("authority.sqlite") }, "\(files)")
        for file in files {
            guard let bytes = FileManager.default.contents(atPath: state + "/" + file) else { continue }
            for secret in secrets { #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(file)") }
        }
    }
}
