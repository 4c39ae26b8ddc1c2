import Foundation
import LocalIssuer
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// Tests of users who must authenticate again at an external provider.
@Suite(.timeLimit(.minutes(5)))
struct FreshProofTests {
    private let scene = ProviderScene()

    /// Signs in with the provider, and returns the authorization request that the provider got.
    private func asked(_ hint: String, _ provider: LocalProvider, _ machine: Machine) async throws -> Form {
        var browser = WebBrowser()
        let there = try destination(of: try await browser.open(scene.request(machine, hint: hint)))
        let page = try await scene.visit(there, &browser)
        #expect(try await scene.claims(page, machine)["idp"]?.string == "partner", "\(page.status) \(page.text)")
        return try #require(provider.redeemedRequests.last)
    }

    @Test("a provider gets `prompt` and `max_age` if a fresh authentication is required")
    func told() async throws {
        try await scene.withProvider { provider, machine in
            let usual = try await asked("", provider, machine)
            #expect(usual["prompt"] == nil && usual["max_age"] == nil)
            let login = try await asked("&prompt=login", provider, machine)
            #expect(login["prompt"] == "login" && login["max_age"] == nil)
            let aged = try await asked("&max_age=300", provider, machine)
            #expect(aged["prompt"] == "login" && aged["max_age"] == "300")
        }
    }

    @Test(
        "an authentication without `auth_time`, or older than allowed, does not sign in",
        arguments: [
            (LocalProvider.Lie.noAuthTime, "&max_age=300"), (.zeroAuthTime, "&max_age=300"),
            (.oldAuthTime, "&max_age=300"), (.oldAuthTime, "&prompt=login"),
        ]
    )
    func lies(_ lie: LocalProvider.Lie, _ hint: String) async throws {
        try await scene.withProvider { provider, machine in
            provider.tell(lie)
            var browser = WebBrowser()
            let there = try destination(of: try await browser.open(scene.request(machine, hint: hint)))
            let page = try await scene.visit(there, &browser)
            #expect(page.status == 502, "\(page.status) \(page.text)")
            // This request accepts an authentication that is an hour old.
            let patient = try await asked("&max_age=7200", provider, machine, lie)
            #expect(patient == (lie == .oldAuthTime))
            // If the request has no maximum age, an `auth_time` that is missing or 0 is accepted.
            let asks = try await asked("&prompt=login", provider, machine, lie)
            #expect(asks == (lie != .oldAuthTime))
        }
    }

    /// Returns whether a sign-in with the provider succeeds while the provider sends `lie`.
    private func asked(
        _ hint: String,
        _ provider: LocalProvider,
        _ machine: Machine,
        _ lie: LocalProvider.Lie
    ) async throws -> Bool {
        provider.tell(lie)
        var browser = WebBrowser()
        let there = try destination(of: try await browser.open(scene.request(machine, hint: hint)))
        return try await scene.visit(there, &browser).status != 502
    }

    @Test("a provider without ID tokens satisfies no maximum age, and other requests succeed")
    func undated() async throws {
        var scene = scene
        scene.kind = .oauth2
        try await scene.withProvider { provider, machine in
            provider.answerUserinfo(["sub": "person-1", "profile": ["name": "Ada"]])
            var browser = WebBrowser()
            let page = try await browser.open(scene.request(machine, hint: "&max_age=300"))
            let pressed = try await browser.submit(page, ["_provider": "partner"])
            #expect(pressed.status == 502, "\(pressed.status) \(pressed.text)")
            #expect(provider.redemptions == 0)
            let login = try await asked("&prompt=login", provider, machine)
            #expect(login["prompt"] == nil && login["max_age"] == nil)
        }
    }

    @Test("a caller's provider token is a fresh authentication only if it has `auth_time`; an access token never is")
    func brought() async throws {
        try await scene.withProvider { provider, machine in
            let connection = try machine.connect()
            let now = Int64(Date().timeIntervalSince1970)
            func asked(_ token: JSONValue) -> JSONValue {
                [
                    "policy": "b2c_1_partner", "provider": "partner", "scopes": ["tasks.read"], "maxAge": 300,
                    "providerToken": token,
                ]
            }
            #expect(try connection.refusal("token.acquire", asked(["access_token": "access-1"])).code == 1012)
            #expect(
                try connection.refusal("token.acquire", asked(["id_token": .string(try provider.idToken())])).code
                    == 1012
            )
            provider.person("person-1", ["auth_time": .int(now - 3600)])
            #expect(
                try connection.refusal("token.acquire", asked(["id_token": .string(try provider.idToken())])).code
                    == 1012
            )
            provider.person("person-1", ["auth_time": .int(now - 10)])
            let fresh = try connection.call("token.acquire", asked(["id_token": .string(try provider.idToken())]))
            #expect(fresh["token"]?["amr"] == ["fed"], "\(fresh)")
        }
    }

    @Test("unlinking or linking requires a new authentication at the provider") func linking()
        async throws
    {
        try await LinkingScene.run { scene in
            var (browser, page) = try await scene.visiting()
            _ = try await scene.link(page, &browser)
            #expect(scene.provider.redeemedRequests.last?["prompt"] == "login")
            let account = try scene.signInWithPartner()
            let params: JSONValue = ["type": "federated", "provider": "partner", "account": account]
            let removing = try scene.connection.call("credential.remove", params)
            var other = WebBrowser()
            let asked = try await other.open(try #require(removing["flow"]?["browser"]?["url"]?.string, "\(removing)"))
            var leaving = asked
            if asked.headers.first(name: "Location") == nil, asked.headers.first(name: "Refresh") == nil {
                leaving = try await other.submit(asked, ["_provider": "partner"])
            }
            let there = try destination(of: leaving)
            #expect(there.contains("prompt=login"), "\(there)")
        }
    }

    @Test("another daemon prompts a user with a session again if a fresh authentication is required")
    func anotherDaemon() async throws {
        // The outside daemon uses https, since sessions over http end with their flow.
        let outside = try Machine()
        let base = "https://localhost:\(outside.port)"
        let files = try LocalCertificate.write(to: outside.folder)
        let machine = try scene.machine(
            issuer: "\(base)/outside/b2c_1_sign_in/v2.0",
            configuration: ["outgoing: {caFile: \"\(files.certificate)\"}"]
        )
        try outside.write(
            [
                "tenant: outside", "issuerBase: \(base)", "listen: [\"127.0.0.1:\(outside.port)\"]",
                "tls: {certificate: \"\(files.certificate)\", privateKeyFile: \"\(files.privateKey)\"}",
                "log: {level: info, format: text}", "clients:",
                "  ours: {type: confidential, firstParty: true, secretFile: ours.secret, grants: [authorization_code], "
                    + "redirectURIs: [\"\(machine.base)/local/oauth2/authresp\"]}",
            ],
            to: "etc/tokenbrokerd.yaml"
        )
        try outside.writeSecret(ProviderScene.secret, to: "etc/ours.secret")
        let provider = try outside.startBroker()
        let daemon = try machine.startBroker()
        let person = Person.random()
        try person.signUp(try outside.connect(), on: outside)
        var theirs = WebBrowser()
        for (hint, asksAgain) in [("", true), ("", false), ("&prompt=login", true), ("&max_age=1000", true)] {
            var ours = WebBrowser()
            let leaving = try await ours.open(scene.request(machine, hint: hint))
            var page = try await theirs.open(try destination(of: leaving))
            #expect(page.text.contains("name=\"password\"") == asksAgain, "\(hint) \(page.status) \(page.text)")
            if asksAgain {
                page = try await theirs.submit(page, ["username": person.email, "password": person.password])
            }
            let done = try await ours.open(try destination(of: page))
            let claims = try await scene.claims(done, machine)
            #expect(claims["idp"]?.string == "partner", "\(claims)")
        }
        for program in [daemon, provider] {
            program.signal(SIGTERM)
            #expect(program.wait() == 0, "\(program.errors())")
        }
    }

    @Test("a provider's token without `auth_time` does not satisfy a later request with a maximum age")
    func broughtBefore() async throws {
        try await scene.withProvider { provider, machine in
            let connection = try machine.connect()
            let now = Int64(Date().timeIntervalSince1970)
            let asked: [String: JSONValue] = ["policy": "b2c_1_partner", "scopes": ["tasks.read"]]
            // Each row has the type of the provider's token, the provider's `auth_time`, and the expected `auth_time`
            // of the local token, or 0 if it has none.
            let rows: [(kind: String, said: JSONValue?, time: Int64)] = [
                ("id_token", .int(now - 86_400), now - 86_400), ("id_token", nil, 0),
                ("id_token", .int(now + 86_400), 0),
                ("access_token", .int(now), 0),
            ]
            for (number, row) in rows.enumerated() {
                for prompt in ["auto", "login"] {
                    provider.person("person-\(number)", row.said.map { ["auth_time": $0] } ?? [:])
                    provider.answerUserinfo(["sub": .string("person-\(number)")])
                    let brought = row.kind == "id_token" ? try provider.idToken() : "access-1"
                    let more: [String: JSONValue] = [
                        "provider": "partner", "providerToken": [row.kind: .string(brought)],
                        "prompt": .string(prompt),
                    ]
                    let answer = try connection.call("token.acquire", .object(asked.merging(more) { $1 }))
                    let token = try #require(answer["token"], "\(answer)")
                    #expect(token["authTime"]?.int == row.time * 1000, "\(row) \(token)")
                    #expect(token["claims"]?["auth_time"]?.int == (row.time > 0 ? row.time : nil), "\(row) \(token)")
                    for age in [60, 31_536_000] where age == 60 || row.time == 0 {
                        let aged: [String: JSONValue] = [
                            "maxAge": .int(Int64(age)), "prompt": "none", "account": token["account"] ?? .null,
                        ]
                        let refusal = try connection.refusal("token.acquire", .object(asked.merging(aged) { $1 }))
                        #expect(refusal.code == 1001, "\(row) \(age) \(refusal)")
                    }
                }
            }
            provider.person("person-9", ["auth_time": .int(now - 10)])
            let more: [String: JSONValue] = [
                "provider": "partner", "providerToken": ["id_token": .string(try provider.idToken())],
            ]
            let token = try connection.call("token.acquire", .object(asked.merging(more) { $1 }))["token"]
            let aged: [String: JSONValue] = ["maxAge": 60, "prompt": "none", "account": token?["account"] ?? .null]
            let served = try connection.call("token.acquire", .object(asked.merging(aged) { $1 }))
            #expect(served["token"]?["authTime"]?.int == (now - 10) * 1000, "\(served)")
        }
    }

    /// Configures https, so that sessions outlive their flow, and a default policy for the account page.
    private func secure(_ machine: Machine) throws {
        let files = try LocalCertificate.write(to: machine.folder)
        let file = machine.folder.path("etc/tokenbrokerd.yaml")
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map(String.init)
        try machine.write(
            lines.filter { !$0.hasPrefix("issuerBase:") && !$0.hasPrefix("defaultPolicy:") } + [
                "issuerBase: https://localhost:\(machine.port)", "defaultPolicy: b2c_1_both",
                "tls: {certificate: \"\(files.certificate)\", privateKeyFile: \"\(files.privateKey)\"}",
            ],
            to: "etc/tokenbrokerd.yaml"
        )
    }

    @Test(
        "a user that a provider returned without a prompt authenticates there again before a change or for `max_age`",
        arguments: [-86_400, nil] as [Int64?]
    )
    func silent(_ seconds: Int64?) async throws {
        try await scene.withProvider(prepared: secure) { provider, machine in
            let base = "https://localhost:\(machine.port)"
            let now = Int64(Date().timeIntervalSince1970)
            provider.person("person-1", seconds.map { ["auth_time": .int(now + $0)] } ?? [:])
            var browser = WebBrowser()
            func asked(_ hint: String) -> String {
                scene.request(machine, hint: hint).replacing(machine.base, with: base)
            }
            let there = try destination(of: try await browser.open(asked("")))
            let back = try await scene.visit(there, &browser)
            #expect(try destination(of: back).contains("code="), "\(back.status) \(back.text)")
            // Without `max_age`, the session is sufficient and only consent is missing. With `max_age`, the user has to
            // sign in again.
            for (hint, answer) in [
                ("&prompt=none", "error=consent_required"), ("&prompt=none&max_age=60", "error=login_required"),
            ] {
                let silent = try await browser.open(asked(hint))
                #expect(try destination(of: silent).contains(answer), "\(hint) \(silent.status) \(silent.text)")
            }
            let page = try await browser.open("\(base)/local/account")
            #expect(page.text.contains("name=\"_unlink\""), "\(page.status) \(page.text)")
            var asking = try await browser.submit(page, ["_unlink": "partner"])
            if asking.text.contains("name=\"_provider\"") {
                asking = try await browser.submit(asking, ["_provider": "partner"])
            }
            #expect(try destination(of: asking).contains("prompt=login"), "\(asking.status) \(asking.text)")
        }
    }

    @Test("if no session outlives its flow, a provider's user authenticates there again at the account page")
    func visit() async throws {
        func prepare(_ machine: Machine) throws {
            let file = machine.folder.path("etc/tokenbrokerd.yaml")
            let lines = try String(contentsOfFile: file, encoding: .utf8)
            try machine.write([lines, "defaultPolicy: b2c_1_both"], to: "etc/tokenbrokerd.yaml")
        }
        try await scene.withProvider(prepared: prepare) { provider, machine in
            _ = try await asked("", provider, machine)
            var browser = WebBrowser()
            let page = try await browser.open("\(machine.base)/local/account")
            let leaving = try await browser.submit(page, ["_provider": "partner"])
            let there = try destination(of: leaving)
            #expect(there.contains("prompt=login"), "\(there)")
            let account = try await scene.visit(there, &browser)
            #expect(account.text.contains("name=\"_unlink\""), "\(account.status) \(account.text)")
        }
    }
}
