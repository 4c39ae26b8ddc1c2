import Foundation
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// End-to-end tests of API connectors in a browser, with the connector of `Examples/`.
@Suite(.timeLimit(.minutes(5)))
struct ConnectorPageTests {
    private func request(_ machine: Machine, in language: String = "en") -> String {
        machine.authorizeAddress(
            Machine.connected,
            scope: "openid profile offline_access tasks.read",
            [("nonce", "n1"), ("ui_locales", language)]
        )
    }

    private func claims(_ tokens: JSONValue) throws -> JSONValue {
        let token = try #require(tokens["id_token"]?.string, "\(tokens)")
        return try StrictJSON.parse(try #require(Base64URL.decode(String(token.split(separator: ".")[1]))))
    }

    @Test("a page prompts again with the connector's message, and its claims are in the tokens, also after a renewal")
    func pages() async throws {
        let (connector, provider) = (try APIConnector(), try CustomProvider("Corp", []))
        defer {
            connector.end()
            provider.end()
        }
        let keys = connector.keys()
        let machine = try Machine.connected(
            "afterFederation: \(keys), beforeUserCreated: \(keys), beforeToken: \(keys)",
            provider: provider
        )
        let broker = try machine.startBroker()
        var browser = WebBrowser()
        let page = try await browser.open(request(machine, in: "de"))
        let right = ["username": "john.lennon", "password": "12345"]
        let asked = try await browser.submit(page, right)
        #expect(asked.status == 200 && asked.text.contains("value=\"Oxford\""), "\(asked.status) \(asked.text)")
        let refused = try await browser.submit(asked, ["displayName": "Admin", "city": "Hull"])
        #expect(refused.text.contains("Choose another name."), "\(refused.status) \(refused.text)")
        #expect(refused.text.contains("value=\"Hull\""))
        let done = try await browser.submit(refused, ["displayName": "Jane", "city": "Hull"])
        let tokens = try await machine.redeem(done, Machine.connected)
        let said = try claims(tokens)
        #expect(said["name"] == "Jane" && said["level"] == "gold", "\(said)")
        let userinfo = try await WebAnswer.to(
            .GET,
            "\(machine.base)/local/\(Machine.connected)/openid/v2.0/userinfo",
            token: tokens["access_token"]?.string
        )
        #expect(userinfo.json?["level"] == "gold", "\(userinfo.text)")
        let renewed = try await machine.refresh(tokens, Machine.connected)
        let saidAgain = try claims(renewed)
        #expect(saidAgain["level"] == "gold" && renewed["access_token"] != tokens["access_token"], "\(saidAgain)")
        // The connector's claims are stored, so the renewal has not called the connector again.
        #expect(try connector.told("PreTokenIssuance").count == 1)
        for step in ["PostFederationSignup", "PostAttributeCollection"] {
            let told = try connector.told(step)
            #expect(!told.isEmpty && told.allSatisfy { $0["ui_locales"] == "de" }, "\(step): \(told)")
        }
        broker.signal(SIGTERM)
        #expect(broker.wait() == 0)
    }

    @Test("a page shows why the user was rejected, and leads back to the client") func blocked() async throws {
        let (connector, provider) = (try APIConnector(), try CustomProvider("Corp", []))
        defer {
            connector.end()
            provider.end()
        }
        let keys = connector.keys()
        let machine = try Machine.connected("afterFederation: \(keys), beforeUserCreated: \(keys)", provider: provider)
        let broker = try machine.startBroker()
        var browser = WebBrowser()
        let page = try await browser.open(request(machine))
        let asked = try await browser.submit(page, ["username": "john.lennon", "password": "12345"])
        let blocked = try await browser.submit(asked, ["displayName": "Mallory", "city": "Hull"])
        #expect(blocked.status == 403 && blocked.text.contains("Mallory is not allowed to sign in."), "\(blocked.text)")
        #expect(blocked.text.contains("error=access_denied"))
        let again = try await browser.open(asked.url)
        #expect(again.text.contains("Mallory is not allowed to sign in."), "\(again.status) \(again.text)")
        broker.signal(SIGTERM)
        #expect(broker.wait() == 0)
    }

    @Test("a connector's message is shown on a page without control and direction characters") func rude()
        async throws
    {
        let (connector, provider) = (try APIConnector(["--fault", "rude"]), try CustomProvider("Corp", []))
        defer {
            connector.end()
            provider.end()
        }
        let machine = try Machine.connected("afterFederation: \(connector.keys())", provider: provider)
        let broker = try machine.startBroker()
        var browser = WebBrowser()
        let asked = try await browser.open(request(machine))
        let blocked = try await browser.submit(asked, ["username": "john.lennon", "password": "12345"])
        for page in [blocked, try await browser.open(asked.url)] {
            #expect(page.status == 403 && page.text.contains("[2Jevil go away"), "\(page.status) \(page.text)")
            let marks = page.text.unicodeScalars.filter { ["\u{1B}", "\u{202E}", "\u{202C}"].contains($0) }
            #expect(marks.isEmpty, "\(page.text)")
        }
        broker.signal(SIGTERM)
        #expect(broker.wait() == 0)
    }

    @Test(
        "a connector that fails before the account is created leads to the prompt; before the token, to the client"
    )
    func failed() async throws {
        let (connector, provider) = (try APIConnector(), try CustomProvider("Corp", []))
        let broken = try APIConnector(["--fault", "error"])
        defer {
            connector.end()
            provider.end()
            broken.end()
        }
        for (place, other) in [("beforeUserCreated", ""), ("beforeToken", ", beforeUserCreated: \(connector.keys())")] {
            let machine = try Machine.connected(
                "afterFederation: \(connector.keys()), \(place): \(broken.keys())\(other)",
                provider: provider
            )
            let broker = try machine.startBroker()
            var browser = WebBrowser()
            let page = try await browser.open(request(machine))
            let asked = try await browser.submit(page, ["username": "john.lennon", "password": "12345"])
            let failed = try await browser.submit(asked, ["displayName": "Jane", "city": "Hull"])
            #expect(failed.status == 502, "\(place) \(failed.status) \(failed.text)")
            if place == "beforeUserCreated" {
                let again = try await browser.open(asked.url)
                #expect(again.text.contains("value=\"Hull\""), "\(again.text)")
                #expect(again.text.contains("did not respond"))
            }
            broker.signal(SIGTERM)
            #expect(broker.wait() == 0)
        }
    }
}
