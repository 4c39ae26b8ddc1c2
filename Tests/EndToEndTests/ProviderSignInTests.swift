import AsyncHTTPClient
import Foundation
import HTTPServer
import LocalIssuer
import NIOCore
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// People sign in with a provider outside, in a browser, at the built daemon.
@Suite(.timeLimit(.minutes(5)))
struct ProviderSignInTests {
    private static let secret = "p1aRtner-secret-of-many-different-signs"

    /// A machine whose policy `b2c_1_partner` signs in with the provider at `issuer`; `b2c_1_both` with a password, too.
    private func machine(issuer: String, client: String = "ours", secret: String = Self.secret) throws -> Machine {
        let machine = try Machine(configuration: [
            "identityProviders:",
            "  partner: {kind: oidc, displayName: Partner, issuer: \"\(issuer)\", clientId: \(client), "
                + "clientSecretFile: partner.secret}",
        ])
        try machine.writeSecret(secret, to: "etc/partner.secret")
        let common = ["claims: [oid, displayName, email, identityProvider]", "scopes: {tasks.read: []}"]
        try machine.write(
            ["kind: social", "identityProviders: [partner]"] + common,
            to: "etc/policies/b2c_1_partner.yaml"
        )
        try machine.write(
            ["kind: sign-in", "identityProviders: [local, partner]"] + common,
            to: "etc/policies/b2c_1_both.yaml"
        )
        return machine
    }

    private func request(_ machine: Machine, _ policy: String = "b2c_1_partner", hint: String = "") -> String {
        let query = Form.encoded([
            ("client_id", "tasks-cli"), ("response_type", "code"), ("redirect_uri", "http://localhost:7777"),
            ("scope", "openid tasks.read"), ("state", "s1"), ("nonce", "n1"),
            ("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"), ("code_challenge_method", "S256"),
        ])
        return "\(machine.base)/local/\(policy)/oauth2/v2.0/authorize?\(query)\(hint)"
    }

    /// Redeems the code that the client was sent, and returns the claims of the ID token.
    private func claims(
        _ page: WebBrowser.Page,
        _ machine: Machine,
        _ policy: String = "b2c_1_partner"
    ) async throws
        -> JSONValue
    {
        let location = try #require(page.headers.first(name: "Location"), "\(page.status) \(page.text)")
        let answer = try Form(String(location.drop { $0 != "?" }.dropFirst()))
        let code = try #require(answer["code"], "\(location)")
        var request = HTTPClientRequest(url: "\(machine.base)/local/\(policy)/oauth2/v2.0/token")
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
        request.body = .bytes(
            ByteBuffer(
                string: Form.encoded([
                    ("grant_type", "authorization_code"), ("client_id", "tasks-cli"), ("code", code),
                    ("redirect_uri", "http://localhost:7777"),
                    ("code_verifier", "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"),
                ])
            )
        )
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
        let json = try StrictJSON.parse(Array(try await response.body.collect(upTo: 65_536).readableBytesView))
        let token = try #require(json["id_token"]?.string, "\(json)")
        let payload = try #require(Base64URL.decode(String(token.split(separator: ".")[1])))
        return try StrictJSON.parse(payload)
    }

    @Test("another daemon signs a person in: one account by issuer and subject, and no other by its e-mail address")
    func anotherDaemon() async throws {
        let outside = try Machine(configuration: [
            "tenant: outside", "clients:",
            "  ours: {type: confidential, firstParty: true, secretFile: ours.secret, grants: [authorization_code], "
                + "redirectURIs: [\"http://localhost:PORT/local/oauth2/authresp\"]}",
        ])
        let issuer = "\(outside.base)/outside/b2c_1_sign_in/v2.0"
        let machine = try machine(issuer: issuer)
        let text = try String(contentsOfFile: outside.configuration, encoding: .utf8)
        try outside.write([text.replacing("PORT", with: "\(machine.port)")], to: "etc/tokenbrokerd.yaml")
        try outside.writeSecret(Self.secret, to: "etc/ours.secret")
        let provider = try outside.startBroker()
        let daemon = try machine.startBroker()
        let person = Person.random()
        try person.signUp(try outside.connect(), on: outside)
        // Somebody else has the same address here.
        try person.signUp(try machine.connect(), on: machine)
        var users: Set<String> = []
        for round in 0..<2 {
            var (ours, theirs) = (WebBrowser(), WebBrowser())
            let leaving = try await ours.open(request(machine))
            #expect(leaving.status == 303 && leaving.headers.first(name: "Location")?.hasPrefix(outside.base) == true)
            let asked = try await theirs.open(try destination(of: leaving))
            #expect(asked.text.contains("name=\"password\""), "\(asked.status) \(asked.text)")
            let sent = try await theirs.submit(asked, ["username": person.email, "password": person.password])
            let back = try destination(of: sent)
            #expect(back.hasPrefix("\(machine.base)/local/oauth2/authresp?"), "\(back)")
            let done = try await ours.open(back)
            let claims = try await claims(done, machine)
            #expect(claims["idp"]?.string == "partner" && claims["amr"] == ["fed"], "\(claims)")
            #expect(claims["name"]?.string == person.name, "\(round): \(claims)")
            users.insert(try #require(claims["oid"]?.string))
            // The answer is good once.
            #expect(try await ours.open(back).status == 404)
        }
        #expect(users.count == 1)
        var local = WebBrowser()
        let page = try await local.open(request(machine, "b2c_1_both"))
        let answered = try await local.submit(page, ["username": person.email, "password": person.password])
        let mine = try await claims(answered, machine, "b2c_1_both")
        #expect(mine["idp"]?.string == "local" && !users.contains(mine["oid"]?.string ?? ""))
        for program in [daemon, provider] {
            program.signal(SIGTERM)
            #expect(program.wait() == 0, "\(program.errors())")
        }
    }

    /// Runs `test` with a provider of this process and a daemon that signs in with it.
    private func withProvider(_ test: (LocalProvider, Machine) async throws -> Void) async throws {
        let socket = try ListeningSocket(.tcp(host: "127.0.0.1", port: 0))
        let provider = try LocalProvider(issuer: "http://\(socket.address)")
        let machine = try machine(issuer: provider.issuer, client: provider.clientID, secret: provider.secret)
        try await provider.serve(socket) {
            let daemon = try machine.startBroker()
            try await test(provider, machine)
            daemon.signal(SIGTERM)
            #expect(daemon.wait() == 0, "\(daemon.errors())")
            #expect(!daemon.errors().contains("access-1"))
        }
    }

    /// Goes to the provider and back.
    private func visit(_ address: String, _ browser: inout WebBrowser) async throws -> WebBrowser.Page {
        var stranger = WebBrowser()
        return try await browser.open(try destination(of: try await stranger.open(address)))
    }

    @Test("a provider that lies, fails or cancels ends on our page, and the same flow goes on when it is honest again")
    func lies() async throws {
        try await withProvider { provider, machine in
            for lie in LocalProvider.Lie.allCases where !lie.isInMetadata {
                var browser = WebBrowser()
                provider.tell(lie)
                let page = try await visit(try destination(of: try await browser.open(request(machine))), &browser)
                let again: WebBrowser.Page
                if lie == .cancels {
                    #expect(page.status == 200, "\(lie) \(page.text)")
                    again = page
                } else {
                    #expect(page.status == 502, "\(lie) \(page.status) \(page.text)")
                    #expect(!page.text.contains("planted") && !page.text.contains("hello"))
                    let link = try #require(page.text.firstMatch(of: /href="(\/local\/flow\/[^"]+)"/)?.1)
                    again = try await browser.open(machine.base + String(link))
                }
                provider.tell(nil)
                guard ![.down, .hang].contains(lie) else { continue }
                let leaving = try await browser.submit(again, ["_provider": "partner"])
                let done = try await visit(try destination(of: leaving), &browser)
                #expect(try await claims(done, machine)["idp"]?.string == "partner", "\(lie)")
            }
        }
    }

    @Test("two first sign-ins of one person at once, in two browsers, make one account") func twoBrowsers() async throws
    {
        try await withProvider { provider, machine in
            for round in 0..<4 {
                provider.person("new-\(round)", ["name": "New \(round)"])
                var (first, second) = (WebBrowser(), WebBrowser())
                let addresses = [
                    try destination(of: try await first.open(request(machine))),
                    try destination(of: try await second.open(request(machine))),
                ]
                var answers: [String] = []
                for address in addresses {
                    var stranger = WebBrowser()
                    answers.append(try destination(of: try await stranger.open(address)))
                }
                let browsers = [first, second]
                let pages = try await withThrowingTaskGroup(of: WebBrowser.Page.self) { group in
                    for (browser, answer) in zip(browsers, answers) {
                        group.addTask {
                            var browser = browser
                            return try await browser.open(answer)
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                var people: Set<String> = []
                for page in pages where page.headers.first(name: "Location")?.contains("code=") == true {
                    people.insert(try #require(try await claims(page, machine)["oid"]?.string))
                }
                // Whoever came second, and was turned away because of the first, signs in with the account there is.
                var again = WebBrowser()
                let page = try await visit(try destination(of: try await again.open(request(machine))), &again)
                people.insert(try #require(try await claims(page, machine)["oid"]?.string))
                #expect(people.count == 1, "\(round): \(pages.map(\.status))")
            }
            let users = try machine.tokenbroker(["user", "list", "--json"])
            #expect(users.output.matches(of: /New \d/).count <= 4, "\(users.output)")
        }
    }

    @Test("the answer of a provider is good for the browser that left only, and for one flow") func bound() async throws
    {
        try await withProvider { provider, machine in
            var (browser, other, stranger) = (WebBrowser(), WebBrowser(), WebBrowser())
            let there = try await stranger.open(try destination(of: try await browser.open(request(machine))))
            let back = try destination(of: there)
            #expect(try await other.open(back).status == 404)
            _ = try await other.open(request(machine))
            #expect(try await other.open(back).status == 404)
            #expect(provider.redemptions == 0)
            #expect(try await claims(try await browser.open(back), machine)["idp"]?.string == "partner")
            #expect(try await browser.open(back).status == 404)
            #expect(provider.redemptions == 1)
        }
    }

    @Test("a button beside the password, and a hint of the client, lead to the provider; who is unknown is not let in")
    func button() async throws {
        try await withProvider { provider, machine in
            provider.person("new", ["name": "New"])
            var browser = WebBrowser()
            let page = try await browser.open(request(machine, "b2c_1_both"))
            #expect(page.text.contains("name=\"password\"") && page.text.contains("value=\"partner\""))
            let leaving = try await browser.submit(page, ["_provider": "partner"])
            #expect(leaving.status == 200 && leaving.text.contains("On the way to Partner"))
            let refused = try await visit(try destination(of: leaving), &browser)
            #expect(refused.status == 200 && refused.text.contains("Nobody has an account here"), "\(refused.text)")
            var known = WebBrowser()
            let there = try destination(of: try await known.open(request(machine)))
            _ = try await claims(try await visit(there, &known), machine)
            var hinted = WebBrowser()
            let hint = request(machine, "b2c_1_both", hint: "&domain_hint=partner.com")
            let done = try await visit(try destination(of: try await hinted.open(hint)), &hinted)
            #expect(try await claims(done, machine, "b2c_1_both")["name"]?.string == "New")
            let nobody = try await browser.submit(page, ["_provider": "nobody"])
            #expect(nobody.status == 200 || nobody.status == 422)
        }
    }

    @Test("the shipped policy says what to configure, and does the rest without it") func unavailable() async throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        let listed = try machine.tokenbroker(["policies"])
        #expect(listed.output.contains("`identityProviders.facebook` is not configured"), "\(listed.output)")
        var browser = WebBrowser()
        let page = try await browser.open(request(machine, "b2c_1_facebook_sign_in"))
        #expect(page.status == 404 && page.text.contains("identityProviders.facebook"), "\(page.status) \(page.text)")
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
    }
}

extension Machine {
    /// Writes a secret on one line into a private file.
    func writeSecret(_ secret: String, to name: String) throws {
        try write([secret], to: name)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.path(name))
    }
}
