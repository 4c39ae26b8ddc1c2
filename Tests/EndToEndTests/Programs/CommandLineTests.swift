import AsyncHTTPClient
import Foundation
import LocalIssuer
import NIOCore
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// End-to-end tests of `tasks` and `tokenbroker`, which run as a user runs them.
@Suite(.timeLimit(.minutes(5)))
struct CommandLineTests {
    private func lines(_ outcome: BuiltProgram.Outcome) -> [String] {
        #expect(outcome.status == 0, "\(outcome.errors)")
        return outcome.output.split(separator: "\n").map(String.init)
    }

    private func todo(_ machine: Machine) throws -> [JSONValue] {
        let outcome = try machine.tasks(["list", "--all", "--json"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        return try StrictJSON.parse(Array(outcome.output.utf8)).array ?? []
    }

    @Test("a sign-in prints the claims of the ID token if showClaims is true", arguments: [true, false])
    func claims(_ isShown: Bool) throws {
        let machine = try Machine()
        try machine.write(["api: \(machine.api)", "showClaims: \(isShown)"], to: "etc/tasks.yaml")
        let daemon = try machine.startBroker()
        let ada = Person.random()
        try ada.signUp(machine.connect(), on: machine)
        let signIn = ["sign-in", "--answer", "username=\(ada.email)", "--password-stdin"]
        let text = lines(try machine.tasks(signIn, input: "\(ada.password)\n"))
        #expect(text.contains { $0.hasPrefix("  oid: ") } == isShown, "\(text)")
        let outcome = try machine.tasks(signIn + ["--json"], input: "\(ada.password)\n")
        let json = try StrictJSON.parse(Array(outcome.output.utf8))
        #expect(json["username"]?.string == ada.email)
        #expect((json["claims"]?["oid"]?.string != nil) == isShown, "\(json)")
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
    }

    @Test("a user has tasks, a second user sees none of them, and sign-out ends the access")
    func tasks() throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        let api = try machine.startTasks()
        let (ada, bob) = (Person.random(), Person.random())
        try machine.signUp(ada)
        #expect(lines(try machine.tasks(["whoami"])).joined().contains(ada.email))
        #expect(lines(try machine.tasks(["whoami", "--claims"])).joined().contains("Oslo"))

        _ = lines(try machine.tasks(["add", "Buy", "milk"]))
        _ = lines(try machine.tasks(["add", "Call mum"]))
        let items = try todo(machine)
        #expect(Set(items.compactMap { $0["text"]?.string }) == ["Buy milk", "Call mum"])
        let milk = try #require(items.first { $0["text"]?.string == "Buy milk" }?["id"]?.string)
        let mum = try #require(items.first { $0["text"]?.string == "Call mum" }?["id"]?.string)
        _ = lines(try machine.tasks(["done", String(milk.prefix(8))]))
        _ = lines(try machine.tasks(["edit", mum, "Call mum on Sunday"]))
        #expect(try todo(machine).first { $0["id"]?.string == milk }?["complete"]?.bool == true)
        #expect(try todo(machine).first { $0["id"]?.string == mum }?["text"]?.string == "Call mum on Sunday")

        try machine.signUp(bob)
        #expect(try todo(machine).isEmpty)
        let foreign = try machine.tasks(["delete", mum])
        #expect(foreign.status == 1)
        #expect(foreign.errors.hasPrefix("tasks: error: "))
        _ = lines(try machine.tasks(["use", ada.email]))
        _ = lines(try machine.tasks(["delete", mum]))
        #expect(try todo(machine).map { $0["id"]?.string } == [milk])

        _ = lines(try machine.tasks(["sign-out"]))
        let refused = try machine.tasks(["list", "--account", ada.email])
        #expect(refused.status == 77 || refused.status == 1, "\(refused.errors)")
        let audit = lines(try machine.tokenbroker(["audit"])).joined(separator: "\n")
        #expect(audit.contains("family.revoked"))
        #expect(lines(try machine.tokenbroker(["accounts"])).joined().contains(bob.email))
        for program in [api, daemon] {
            program.signal(SIGTERM)
            #expect(program.wait() == 0)
        }
    }

    @Test("tasks are filtered, sorted, counted, deleted and restored, and a refused edit is stored")
    func finding() throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        let api = try machine.startTasks()
        try machine.signUp(.random())
        for (text, priority) in [("Buy milk", "2"), ("Buy a tree", "1"), ("Sleep", "3")] {
            _ = lines(try machine.tasks(["add", text, "--priority", priority]))
        }
        let found = try machine.tasks(
            [
                "list", "--filter", "text BEGINSWITH 'Buy' AND priority < 3", "--sort", "priority desc", "--columns",
                "text",
            ]
        )
        #expect(lines(found) == ["TEXT", "Buy milk", "Buy a tree"])
        let page = try machine.tasks(["list", "--sort", "text", "--limit", "1", "--offset", "1", "--count", "--json"])
        let json = try StrictJSON.parse(Array(page.output.utf8))
        #expect(json["count"] == 3 && json["results"]?.array?.map { $0["text"] } == ["Buy milk"])

        for (expression, caret) in [("text =! 'x'", "\n        ^"), ("txt == 'x'", "\n  ^")] {
            let wrong = try machine.tasks(["list", "--filter", expression])
            #expect(wrong.status == 64 && wrong.output.isEmpty)
            #expect(wrong.errors.contains("\n  \(expression)\(caret)"), "\(wrong.errors)")
        }

        let id = try #require(json["results"]?.array?.first?["id"]?.string)
        let wrong = try machine.tasks(["edit", id, "--priority", "9"])
        #expect(
            wrong.status == 64 && wrong.errors.contains("The option --priority must be 1, 2, 3 or none."),
            "\(wrong.errors)"
        )
        let long = "Buy oat milk" + String(repeating: "!", count: 4097)
        let refused = try machine.tasks(["edit", id, long, "--priority", "1"])
        #expect(refused.status == 1)
        #expect(refused.errors.contains("\(id) 'Buy oat milk!!"), "\(refused.errors)")

        _ = lines(try machine.tasks(["delete", id]))
        #expect(try todo(machine).count == 2)
        let deleted = lines(try machine.tasks(["list", "--deleted", "--filter", "deleted == YES", "--columns", "id"]))
        #expect(deleted == ["ID", id])
        #expect(lines(try machine.tasks(["restore", String(id.prefix(8))])) == ["Restored: Buy milk"])
        #expect(try todo(machine).count == 3)
        #expect(try machine.tasks(["restore", id]).status == 1)
        for program in [api, daemon] {
            program.signal(SIGTERM)
            #expect(program.wait() == 0)
        }
    }

    @Test("a token is printed alone, as a header, as an environment variable and as JSON")
    func token() throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        try machine.signUp(.random())
        let ask = ["token", "--scope", "tasks.read"]
        let token = lines(try machine.tokenbroker(ask)).joined()
        #expect(token.split(separator: ".").count == 3)
        #expect(lines(try machine.tokenbroker(ask)).joined() == token)
        #expect(lines(try machine.tokenbroker(ask + ["--header"])) == ["Authorization: Bearer \(token)"])
        #expect(lines(try machine.tokenbroker(ask + ["--env"])).joined().contains(token))
        let json = try StrictJSON.parse(Array(try machine.tokenbroker(ask + ["--json"]).output.utf8))
        #expect(json["accessToken"]?.string == token)
        #expect(lines(try machine.tokenbroker(ask + ["--force-refresh"])).joined() != token)
        daemon.signal(SIGTERM)
        daemon.wait()
    }

    @Test("a failure has its exit status and a message, and its reason in JSON")
    func failures() throws {
        let machine = try Machine()
        let unreachable = try machine.tokenbroker(["token", "--scope", "tasks.read"])
        #expect(unreachable.status == 69)
        #expect(unreachable.output.isEmpty)
        #expect(unreachable.errors.hasPrefix("tokenbroker: error: "))

        let daemon = try machine.startBroker()
        let silent = try machine.tokenbroker(["token", "--scope", "tasks.read", "--no-prompt"])
        #expect(silent.status == 77)
        let json = try machine.tokenbroker(["token", "--scope", "tasks.fly", "--no-prompt", "--json"])
        #expect(json.status == 77 || json.status == 1)
        let last = try #require(json.errors.split(separator: "\n").last)
        let error = try #require(try StrictJSON.parse(Array(last.utf8))["error"])
        #expect(error["reason"]?.string == "scope_denied")
        #expect(error["correlationId"]?.string?.count == 36)
        #expect(try machine.tokenbroker(["token", "--colour"]).status == 64)
        daemon.signal(SIGTERM)
        daemon.wait()
    }

    @Test("an added client gets a token over HTTP at once") func addedClient() async throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        defer {
            daemon.signal(SIGTERM)
            daemon.wait()
        }
        let token = "\(machine.base)/local/b2c_1_sign_up_or_in/oauth2/v2.0/token"
        // The daemon now caches its clients for five seconds, but must accept the added client at once.
        #expect(try await serviceToken("nobody", "x", at: token).status == 401)
        let added = try machine.tokenbroker([
            "client", "add", "ci", "--type", "confidential", "--scope", "tasks/tasks.read", "--json",
        ])
        let answer = try StrictJSON.parse(Array(added.output.utf8))
        let id = try #require(answer["client"]?["client"]?.string, "\(added.output)\(added.errors)")
        let given = try await serviceToken(id, try #require(answer["secret"]?.string), at: token)
        #expect(given.status == 200 && given.json?["access_token"]?.string != nil, "\(given.text)")
    }

    /// Requests a token with the client credentials grant.
    private func serviceToken(_ id: String, _ secret: String, at url: String) async throws -> WebAnswer {
        let form = "grant_type=client_credentials&scope=tasks/.default&client_id=\(id)&client_secret=\(secret)"
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
        request.body = .bytes(ByteBuffer(string: form))
        let response = try await HTTPClient.forTests.execute(request, timeout: .seconds(30))
        let text = String(buffer: try await response.body.collect(upTo: 1 << 16))
        return WebAnswer(status: Int(response.status.code), headers: response.headers, text: text)
    }

    @Test("an operator registers a client, gets errors for invalid ones, and rotates the keys")
    func operators() throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        let added = lines(try machine.tokenbroker(["client", "add", "ci", "--type", "confidential"])).joined(
            separator: "\n"
        )
        #expect(added.contains("secret"))
        let clients = lines(try machine.tokenbroker(["client", "list"]))
        #expect(clients.joined().contains("ci"))
        #expect(clients.contains { $0.hasPrefix("tasks-cli ") && $0.contains(" built in ") }, "\(clients)")
        let builtIn = try machine.tokenbroker(["client", "remove", "tasks-cli"])
        #expect(
            builtIn.status == 64 && builtIn.errors.contains("The client tasks-cli is built in and cannot be removed.")
        )
        for command in [["client", "show", "nix"], ["client", "remove", "nix"], ["token", "--client", "nix"]] {
            let unknown = try machine.tokenbroker(command)
            #expect(unknown.status == 1)
            #expect(
                unknown.errors.contains(
                    "There is no client named nix.\nhint: "
                ),
                "\(unknown.errors)"
            )
        }
        let outOfBand = ["client", "add", "old", "--redirect-uri", "urn:ietf:wg:oauth:2.0:oob"]
        let refused = try machine.tokenbroker(outOfBand)
        #expect(refused.status == 64)
        #expect(refused.errors.contains("cannot be registered; use a loopback address"))
        let ghost = try machine.tokenbroker(["user", "show", "ghost"])
        #expect(ghost.status == 1)
        #expect(ghost.errors.contains("hint: Run `tokenbroker user list` to list the users with their object IDs."))
        let before = lines(try machine.tokenbroker(["keys", "list"]))
        _ = lines(try machine.tokenbroker(["keys", "rotate"]))
        #expect(lines(try machine.tokenbroker(["keys", "list"])).count > before.count)
        #expect(lines(try machine.tokenbroker(["policies"])).joined().contains("b2c_1_sign_up"))
        #expect(try machine.tokenbroker(["doctor"]).status == 0)
        #expect(lines(try machine.tokenbroker(["status"])).joined().contains("0.1.0"))
        daemon.signal(SIGTERM)
        daemon.wait()
    }

    @Test(
        "`policy check` explains a policy of each kind",
        arguments: [
            (
                "edit_profile",
                [
                    "Steps to edit the profile:", "1. UserLogin: enter user name and password",
                    "2. enter displayName*, city, extension_team",
                ]
            ),
            (
                "password_reset",
                [
                    "Steps to reset the password:",
                    "1. EmailCode: enter a code sent by e-mail; 5 failed attempts end the flow and block further",
                    "2. choose a password of 8 to 64 characters",
                ]
            ),
            (
                "step_up",
                [
                    "Steps for step-up authentication:",
                    "1. PinCodeAttempts: enter or set the local user's PIN; 3 failed attempts",
                    "the scope transferPrivilege requires UserLogin, PinCodeAttempts",
                ]
            ),
            (
                "facebook_sign_in",
                ["Steps to sign in:", "1. sign in with the identity provider facebook, without a local password"]
            ),
            (
                "own",
                [
                    "1. Corp: complete the steps of the identity provider at https://idp.example; 5 failed attempts",
                    "2. Badge: present an assertion signed by https://badge.example; 1 failed attempt ends",
                    "3. second factor, on a new device: Authenticator",
                    "4. Lax: enter a code from an authenticator app, or add an app; failed attempts never block",
                    "The flow also ends after 15 minutes, when it is cancelled, or after 21 malformed responses.",
                ]
            ),
        ]
    )
    func policyKinds(_ name: String, _ words: [String]) throws {
        let machine = try Machine()
        let checks = [
            "  Corp: {type: customIdentityProvider, realm: corp, tenant: t, url: \"https://idp.example\"}",
            "  Badge: {type: assertion, realm: badge, issuer: \"https://badge.example\", maxAttempts: 1, "
                + "publicKey: \"\(try StatementSigner().pem.replacing("\n", with: " "))\"}",
            "  Lax: {type: totp, blockedStateExpirationSec: 0}", "order:",
        ]
        try machine.replace("order:", with: checks.joined(separator: "\n"), in: "checks.yaml")
        let own = [
            "kind: sign-in", "signInChecks: [Corp, Badge]", "mandatoryScope: [Lax]",
            "secondFactor: {when: newDevice, checks: [Authenticator]}",
        ]
        try machine.write(own, to: "etc/policies/b2c_1_own.yaml")
        let outcome = try machine.tokenbroker(["policy", "check", "\(machine.policies)/b2c_1_\(name).yaml"])
        #expect(outcome.status == 0 && words.allSatisfy(outcome.output.contains), "\(outcome.output)\(outcome.errors)")
    }

    @Test("a policy is checked without a daemon, and problems are listed by line")
    func policyCheck() throws {
        let machine = try Machine()
        let good = try machine.tokenbroker(["policy", "check", machine.policies + "/b2c_1_sign_in.yaml"])
        #expect(good.status == 0, "\(good.errors)")
        let words = [
            "b2c_1_sign_in: Sign in (sign-in)", "  Steps to sign in:",
            "    1. UserLogin: enter user name and password; 3 failed attempts end the flow and block further attempts, "
                + "initially for 10 s",
            "  the scope accessRestricted requires PinCodeAttempts",
            "  info: the scopes tasks.read, tasks.write require no additional check",
        ]
        #expect(words.allSatisfy { good.output.contains($0 + "\n") }, "\(good.output)")
        let connected = [
            "kind: sign-up", "attributes: [{name: email}, {name: city}]",
            "connectors: {beforeUserCreated: {url: \"https://a.example/x\", timeoutSec: 3}, beforeToken: {url: \"https://a.example/y\"}}",
        ]
        try machine.write(connected, to: "etc/policies/b2c_1_asking.yaml")
        let asking = try machine.tokenbroker(["policy", "check", machine.policies + "/b2c_1_asking.yaml"])
        let steps = [
            "1. enter email*, city", "2. choose a password of 8 to 64 characters",
            "3. enter the code sent to the e-mail address",
            "4. connector beforeUserCreated: call https://a.example/x for the step PostAttributeCollection, with a timeout of 3 s",
            "5. connector beforeToken: call https://a.example/y for the step PreTokenIssuance, with a timeout of 20 s",
        ]
        #expect(asking.status == 0 && steps.allSatisfy(asking.output.contains), "\(asking.output)\(asking.errors)")
        let german = ["LC_ALL": "de_DE.UTF-8"]
        let deutsch = try machine.tokenbroker(
            ["policy", "check", machine.policies + "/b2c_1_asking.yaml"],
            environment: german
        )
        #expect(deutsch.output.contains("Schritte der Registrierung:"), "\(deutsch.output)")
        try machine.write(["kind: sign-in", "signInCheck: [UserLogin]"], to: "etc/policies/b2c_1_wrong.yaml")
        let bad = try machine.tokenbroker(["policy", "check", machine.policies + "/b2c_1_wrong.yaml"])
        #expect(bad.status == 78)
        #expect(bad.errors.contains("b2c_1_wrong.yaml:2"))
        let nowhere = try machine.tokenbroker(["policy", "check"])
        if !FileManager.default.fileExists(atPath: "/etc/tokenbroker/policies") {
            #expect(
                nowhere.status == 64 && nowhere.errors.contains("hint: Specify a file or a directory"),
                "\(nowhere.errors)"
            )
        }
        let own = machine.folder.path("home/.config/tokenbroker/policies")
        try FileManager.default.createDirectory(
            atPath: (own as NSString).deletingLastPathComponent,
            withIntermediateDirectories: true
        )
        try FileManager.default.copyItem(atPath: machine.policies, toPath: own)
        let usual = try machine.tokenbroker(["policy", "check"])
        #expect(usual.status == 78 && usual.errors.contains("\(own)/b2c_1_wrong.yaml:2"), "\(usual.errors)")
    }
}
