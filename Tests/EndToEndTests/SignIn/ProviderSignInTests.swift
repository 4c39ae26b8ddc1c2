import AsyncHTTPClient
import Foundation
import HTTPServer
import LocalIssuer
import NIOCore
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// Tests sign-ins in a browser through an external provider, with the built daemon.
@Suite(.timeLimit(.minutes(5)))
struct ProviderSignInTests {
    private let scene = ProviderScene()

    @Test("another daemon signs a user in: the account is found by issuer and subject, not by e-mail address")
    func anotherDaemon() async throws {
        let outside = try Machine(configuration: [
            "tenant: outside", "clients:",
            "  ours: {type: confidential, firstParty: true, secretFile: ours.secret, grants: [authorization_code], "
                + "redirectURIs: [\"http://localhost:PORT/local/oauth2/authresp\"]}",
        ])
        let issuer = "\(outside.base)/outside/b2c_1_sign_in/v2.0"
        let machine = try scene.machine(issuer: issuer)
        let text = try String(contentsOfFile: outside.configuration, encoding: .utf8)
        try outside.write([text.replacing("PORT", with: "\(machine.port)")], to: "etc/tokenbrokerd.yaml")
        try outside.writeSecret(ProviderScene.secret, to: "etc/ours.secret")
        let provider = try outside.startBroker()
        let daemon = try machine.startBroker()
        let person = Person.random()
        try person.signUp(try outside.connect(), on: outside)
        // A local user has the same e-mail address.
        try person.signUp(try machine.connect(), on: machine)
        var users: Set<String> = []
        for round in 0..<2 {
            var (ours, theirs) = (WebBrowser(), WebBrowser())
            let leaving = try await ours.open(scene.request(machine))
            #expect(leaving.status == 303 && leaving.headers.first(name: "Location")?.hasPrefix(outside.base) == true)
            let asked = try await theirs.open(try destination(of: leaving))
            #expect(asked.text.contains("name=\"password\""), "\(asked.status) \(asked.text)")
            let sent = try await theirs.submit(asked, ["username": person.email, "password": person.password])
            let back = try destination(of: sent)
            #expect(back.hasPrefix("\(machine.base)/local/oauth2/authresp?"), "\(back)")
            let done = try await ours.open(back)
            let claims = try await scene.claims(done, machine)
            #expect(claims["idp"]?.string == "partner" && claims["amr"] == ["fed"], "\(claims)")
            #expect(claims["name"]?.string == person.name, "\(round): \(claims)")
            users.insert(try #require(claims["oid"]?.string))
            // The provider's response works only once.
            #expect(try await ours.open(back).status == 404)
        }
        #expect(users.count == 1)
        var local = WebBrowser()
        let page = try await local.open(scene.request(machine, "b2c_1_both"))
        let answered = try await local.submit(page, ["username": person.email, "password": person.password])
        let mine = try await scene.claims(answered, machine, "b2c_1_both")
        #expect(mine["idp"]?.string == "local" && !users.contains(mine["oid"]?.string ?? ""))
        for program in [daemon, provider] {
            program.signal(SIGTERM)
            #expect(program.wait() == 0, "\(program.errors())")
        }
    }

    @Test("a verified e-mail address from the provider is not linked to the local account with that address")
    func verifiedEmail() async throws {
        try await scene.withProvider { provider, machine in
            let person = Person.random()
            try person.signUp(try machine.connect(), on: machine)
            let email: [String: JSONValue] = [
                "name": "Mallory", "email": .string(person.email), "email_verified": true,
            ]
            provider.person("mallory", email)
            var users: Set<String> = []
            for _ in 0..<2 {
                var browser = WebBrowser()
                let there = try destination(of: try await browser.open(scene.request(machine)))
                let claims = try await scene.claims(try await scene.visit(there, &browser), machine)
                #expect(claims["idp"]?.string == "partner" && claims["name"]?.string == "Mallory", "\(claims)")
                users.insert(try #require(claims["oid"]?.string))
            }
            #expect(users.count == 1)
            // The local user can still sign in with the e-mail address.
            var local = WebBrowser()
            let page = try await local.open(scene.request(machine, "b2c_1_both"))
            let answered = try await local.submit(page, ["username": person.email, "password": person.password])
            let mine = try await scene.claims(answered, machine, "b2c_1_both")
            #expect(mine["name"]?.string == person.name && !users.contains(mine["oid"]?.string ?? ""), "\(mine)")
        }
    }

    @Test("a provider's invalid response, failure or cancel ends on a page, and the flow continues once it is valid")
    func lies() async throws {
        try await scene.withProvider { provider, machine in
            for lie in LocalProvider.Lie.allCases where !lie.isInMetadata {
                var browser = WebBrowser()
                provider.tell(lie)
                let page = try await scene.visit(
                    try destination(of: try await browser.open(scene.request(machine, hint: "&max_age=300"))),
                    &browser
                )
                let again: WebBrowser.Page
                if lie == .cancels {
                    #expect(page.status == 200, "\(lie) \(page.text)")
                    again = page
                } else {
                    #expect(page.status == 502, "\(lie) \(page.status) \(page.text)")
                    #expect(page.text.contains("provider_failed"), "\(lie) \(page.text)")
                    // Links are ignored, since the links to other languages contain the encoded address of the page.
                    let said = page.text.replacing(/href="[^"<>]*"/, with: "")
                    #expect(!said.contains("planted") && !said.contains("hello"))
                    let link = try #require(page.text.firstMatch(of: /href="(\/local\/flow\/[^"]+)"/)?.1)
                    again = try await browser.open(machine.base + String(link))
                }
                provider.tell(nil)
                guard ![.down, .hang].contains(lie) else { continue }
                let leaving = try await browser.submit(again, ["_provider": "partner"])
                let done = try await scene.visit(try destination(of: leaving), &browser)
                #expect(try await scene.claims(done, machine)["idp"]?.string == "partner", "\(lie)")
            }
        }
    }

    @Test("two simultaneous first sign-ins of one user, in two browsers, create one account") func twoBrowsers()
        async throws
    {
        try await scene.withProvider { provider, machine in
            for round in 0..<4 {
                provider.person("new-\(round)", ["name": "New \(round)"])
                var (first, second) = (WebBrowser(), WebBrowser())
                let addresses = [
                    try destination(of: try await first.open(scene.request(machine))),
                    try destination(of: try await second.open(scene.request(machine))),
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
                    people.insert(try #require(try await scene.claims(page, machine)["oid"]?.string))
                }
                // The second browser may have been rejected, but its user can now sign in to the existing account.
                var again = WebBrowser()
                let page = try await scene.visit(
                    try destination(of: try await again.open(scene.request(machine))),
                    &again
                )
                people.insert(try #require(try await scene.claims(page, machine)["oid"]?.string))
                #expect(people.count == 1, "\(round): \(pages.map(\.status))")
            }
            // `user list` requires a recent sign-in with a password.
            try Person.random().signUp(try machine.connect(), on: machine)
            let users = try machine.tokenbroker(["user", "list", "--json"])
            #expect(users.status == 0, "\(users.errors)")
            #expect(users.output.matches(of: /New \d/).count == 4, "\(users.output)")
        }
    }

    @Test("the response of a provider works only in the browser that left, and for one flow") func bound() async throws
    {
        try await scene.withProvider { provider, machine in
            var (browser, other, stranger) = (WebBrowser(), WebBrowser(), WebBrowser())
            let there = try await stranger.open(try destination(of: try await browser.open(scene.request(machine))))
            let back = try destination(of: there)
            #expect(try await other.open(back).status == 404)
            _ = try await other.open(scene.request(machine))
            #expect(try await other.open(back).status == 404)
            #expect(provider.redemptions == 0)
            #expect(try await scene.claims(try await browser.open(back), machine)["idp"]?.string == "partner")
            #expect(try await browser.open(back).status == 404)
            #expect(provider.redemptions == 1)
        }
    }

    @Test("a button beside the password and a hint of the client lead to the provider; an unknown user is rejected")
    func button() async throws {
        try await scene.withProvider { provider, machine in
            provider.person("new", ["name": "New"])
            var browser = WebBrowser()
            let page = try await browser.open(scene.request(machine, "b2c_1_both"))
            #expect(page.text.contains("name=\"password\"") && page.text.contains("value=\"partner\""))
            let leaving = try await browser.submit(page, ["_provider": "partner"])
            #expect(leaving.status == 200 && leaving.text.contains("Continuing to Partner"))
            let refused = try await scene.visit(try destination(of: leaving), &browser)
            #expect(
                refused.status == 200 && refused.text.contains("No account is linked to this sign-in"),
                "\(refused.text)"
            )
            var known = WebBrowser()
            let there = try destination(of: try await known.open(scene.request(machine)))
            _ = try await scene.claims(try await scene.visit(there, &known), machine)
            var hinted = WebBrowser()
            let hint = scene.request(machine, "b2c_1_both", hint: "&domain_hint=partner.com")
            let done = try await scene.visit(try destination(of: try await hinted.open(hint)), &hinted)
            #expect(try await scene.claims(done, machine, "b2c_1_both")["name"]?.string == "New")
            var pushing = WebBrowser()
            let pushed = try await pushing.open(try await machine.push(hint))
            #expect(try destination(of: pushed).hasPrefix(provider.issuer))
            let nobody = try await browser.submit(page, ["_provider": "nobody"])
            #expect(nobody.status == 200 || nobody.status == 422)
        }
    }

    @Test("the shipped policy names what to configure, and works otherwise without it") func unavailable() async throws
    {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        let listed = try machine.tokenbroker(["policies"])
        #expect(listed.errors.contains("`identityProviders.facebook` is not configured"), "\(listed.errors)")
        var browser = WebBrowser()
        let page = try await browser.open(scene.request(machine, "b2c_1_facebook_sign_in"))
        #expect(page.status == 404 && page.text.contains("identityProviders.facebook"), "\(page.status) \(page.text)")
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
    }
}
