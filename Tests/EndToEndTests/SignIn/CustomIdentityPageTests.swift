import AsyncHTTPClient
import Foundation
import GRDB
import NIOCore
import NIOHTTP1
import OAuth
import Synchronization
import TestSupport
import Testing

/// End-to-end tests of custom identity providers in a browser, with the provider of `Examples/`.
@Suite(.timeLimit(.minutes(5)))
struct CustomIdentityPageTests {
    private static let right = ["username": "john.lennon", "password": "12345"]

    private func request(_ machine: Machine, _ policy: String) -> String {
        machine.authorizeAddress(policy, scope: "openid profile tasks.read", [("nonce", "n1"), ("ui_locales", "de")])
    }

    @Test("a page shows the provider's prompts until it accepts; the token and userinfo name its user")
    func signIn() async throws {
        let provider = try CustomProvider(
            "Corp",
            ["--steps", "2"],
            keys: "passHeaders: [accept-language, x-client-id, x-policy]"
        )
        defer { provider.end() }
        let machine = try Machine.of([provider])
        let broker = try machine.startBroker()
        var browser = WebBrowser()
        let page = try await browser.open(request(machine, provider.policy))
        #expect(page.status == 200 && page.text.contains("Bei Ihrer Organisation anmelden"), "\(page.text)")
        #expect(page.text.contains("Enter username and password") && page.text.contains("name=\"password\""))
        let again = try await browser.submit(page, ["username": "john.lennon", "password": "54321"])
        #expect(again.status == 200 && again.text.contains("name=\"password\""), "\(again.status)")
        let missing = try await browser.submit(again, ["username": "john.lennon"])
        #expect(missing.status == 422, "\(missing.status)")
        let code = try await browser.submit(missing, Self.right)
        #expect(code.text.contains("Enter the code 2468") && code.text.contains("name=\"code\""), "\(code.text)")
        let tokens = try await machine.redeem(try await browser.submit(code, ["code": "2468"]), provider.policy)
        let token = try #require(tokens["id_token"]?.string, "\(tokens)")
        let payload = try #require(Base64URL.decode(String(token.split(separator: ".")[1])))
        let user: JSONValue = [
            "id": "john.lennon", "displayName": "John Lennon", "authBy": "CorpRealm",
            "attributes": ["dob": "October 9, 1940"],
        ]
        let claims = try StrictJSON.parse(payload)
        #expect(claims["imf.user"] == user && claims["idp"] == "CorpRealm" && claims["amr"] == ["fed"], "\(claims)")
        let userinfo = try await WebAnswer.to(
            .GET,
            "\(machine.base)/local/\(provider.policy)/openid/v2.0/userinfo",
            token: tokens["access_token"]?.string
        )
        #expect(userinfo.json?["imf.user"] == user && userinfo.json?["sub"] == claims["sub"], "\(userinfo.text)")
        // The provider got only the header fields that `passHeaders` lists.
        let told = #"{"accept-language": "de", "x-client-id": "tasks-cli", "x-policy": "b2c_1_corp"}"#
        #expect(provider.program.output().contains("startAuthorization 200 \(told)"), "\(provider.program.output())")
        broker.signal(SIGTERM)
        #expect(broker.wait() == 0)
        #expect(try !broker.log().contains("12345") && !broker.log().contains("2468"))
    }

    @Test("a prompt without fields accepts a JSON document, and its text cannot deceive") func document()
        async throws
    {
        let provider = try CustomProvider("Rude", ["--fault", "rude", "--text-only"], keys: "passHeaders: []")
        defer { provider.end() }
        let machine = try Machine.of([provider])
        let broker = try machine.startBroker()
        var browser = WebBrowser()
        let page = try await browser.open(request(machine, provider.policy))
        #expect(page.text.contains("[2Jevil Enter username and password"), "\(page.text)")
        #expect(!page.text.unicodeScalars.contains { ["\u{1B}", "\u{202E}", "\u{202C}"].contains($0) })
        let bad = try await browser.submit(page, ["*": "john.lennon"])
        #expect(bad.status == 422 && bad.text.contains("name=\"*\""), "\(bad.status)")
        let done = try await browser.submit(bad, ["*": #"{"username": "john.lennon", "password": "12345"}"#])
        let location = try destination(of: done)
        #expect(location.contains("code="))
        #expect(provider.program.output().contains("startAuthorization 200 {}"), "\(provider.program.output())")
        broker.signal(SIGTERM)
        #expect(broker.wait() == 0)
    }

    /// The OAuth error and the error number that the client gets if the provider is unavailable.
    private static let unavailable = ("temporarily_unavailable", "AADB2C90289")
    /// The OAuth error and the error number that the client gets if the provider's response is invalid.
    private static let nonsense = ("access_denied", "AADB2C90273")

    /// Expects that a page redirects the browser to the client with `error` and without a code.
    private func expect(_ page: WebBrowser.Page, says error: (code: String, number: String)) throws {
        let location = try destination(of: page)
        #expect(location.hasPrefix("http://localhost:7777?"), "\(location)")
        let told = try Form(String(location.split(separator: "?", maxSplits: 1)[1]))
        #expect(told["error"] == error.code && told["code"] == nil, "\(location)")
        #expect(told["error_description"]?.hasPrefix("\(error.number): ") == true, "\(location)")
    }

    /// Expects that no answer of any user was counted as an attempt.
    private func expectNothingCounted(_ machine: Machine) async throws {
        let database = try DatabaseQueue(path: machine.state + "/authority.sqlite")
        #expect(try await database.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM attempts") } == 0)
    }

    @Test(
        "a provider that fails sends the client its error number, counts no attempt, and delays no other user",
        arguments: [("error", unavailable), ("html", nonsense), ("big", nonsense), ("status", nonsense)]
    )
    func broken(_ fault: String, _ error: (String, String)) async throws {
        let provider = try CustomProvider(fault.capitalized, ["--fault", fault])
        defer { provider.end() }
        let machine = try Machine.of([provider])
        let broker = try machine.startBroker()
        let address = request(machine, provider.policy)
        async let failing = (0..<4).asyncMap { _ in try await Self.open(address, End()) }
        for _ in 0..<4 { try await expectServed(machine) }
        for page in try await failing { try expect(page, says: error) }
        try await expectServed(machine)
        broker.signal(SIGTERM)
        #expect(broker.wait() == 0)
        try await expectNothingCounted(machine)
    }

    /// Expects that another user's browser gets a page with a password field.
    private func expectServed(_ machine: Machine) async throws {
        var other = WebBrowser()
        let page = try await other.open(machine.authorizeAddress())
        #expect(page.status == 200 && page.text.contains("name=\"password\""), "\(page.status)")
    }

    /// A flag that records whether a request has ended.
    private final class End: Sendable {
        private let value = Mutex(false)
        var hasCome: Bool { value.withLock { $0 } }
        func come() { value.withLock { $0 = true } }
    }

    /// Opens an address in a new browser, and sets `end` after the response.
    private static func open(_ address: String, _ end: End) async throws -> WebBrowser.Page {
        var browser = WebBrowser()
        let page = try await browser.open(address)
        end.come()
        return page
    }

    @Test("a provider that takes eleven seconds times out on its page, and others are served meanwhile") func slow()
        async throws
    {
        let provider = try CustomProvider("Slow", ["--fault", "slow"])
        defer { provider.end() }
        let machine = try Machine.of([provider])
        let broker = try machine.startBroker()
        let address = request(machine, provider.policy)
        let end = End()
        async let slow = Self.open(address, end)
        for _ in 0..<20 { try await expectServed(machine) }
        #expect(!end.hasCome, "the other requests waited for the slow one")
        try expect(try await slow, says: Self.unavailable)
        broker.signal(SIGTERM)
        #expect(broker.wait() == 0)
        try await expectNothingCounted(machine)
    }

    @Test("a provider that reports success without a user leads to a page and back to the open prompt")
    func unnamed() async throws {
        let provider = try CustomProvider("Unnamed", ["--fault", "unnamed"])
        defer { provider.end() }
        let machine = try Machine.of([provider])
        let broker = try machine.startBroker()
        var browser = WebBrowser()
        var page = try await browser.open(request(machine, provider.policy))
        // There are more failures than the limit on wrong answers allows, but no failure counts as a wrong answer.
        for _ in 0..<6 {
            let failed = try await browser.submit(page, Self.right)
            #expect(failed.status == 502, "\(failed.status) \(failed.text)")
            page = try await browser.open(page.url)
            #expect(page.status == 200 && page.text.contains("name=\"password\""), "\(page.status)")
            #expect(!page.text.contains("Noch "), "\(page.text)")
        }
        let wrong = try await browser.submit(page, ["username": "john.lennon", "password": "54321"])
        #expect(wrong.text.contains("Noch 4 Versuche"), "\(wrong.text)")
        broker.signal(SIGTERM)
        #expect(broker.wait() == 0)
    }
}

extension Range<Int> {
    /// Makes a call for each number, one after the other, and returns the results.
    fileprivate func asyncMap<R>(_ call: (Int) async throws -> R) async throws -> [R] {
        var results: [R] = []
        for number in self { results.append(try await call(number)) }
        return results
    }
}
