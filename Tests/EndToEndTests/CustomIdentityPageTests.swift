import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// Custom identity providers in a browser, with the provider of `Examples/` and the built daemon.
@Suite(.timeLimit(.minutes(5)))
struct CustomIdentityPageTests {
    private static let right = ["username": "john.lennon", "password": "12345"]

    private func request(_ machine: Machine, _ policy: String) -> String {
        let query = Form.encoded([
            ("client_id", "tasks-cli"), ("response_type", "code"), ("redirect_uri", "http://localhost:7777"),
            ("scope", "openid profile tasks.read"), ("state", "s1"), ("nonce", "n1"), ("ui_locales", "de"),
            ("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"), ("code_challenge_method", "S256"),
        ])
        return "\(machine.base)/local/\(policy)/oauth2/v2.0/authorize?\(query)"
    }

    /// Redeems the code that a page sends the client.
    private func tokens(_ page: WebBrowser.Page, _ machine: Machine, _ policy: String) async throws -> JSONValue {
        let location = try #require(page.headers.first(name: "Location"), "\(page.status) \(page.text)")
        let code = try #require(try Form(String(location.drop { $0 != "?" }.dropFirst()))["code"], "\(location)")
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
        return try StrictJSON.parse(Array(try await response.body.collect(upTo: 65_536).readableBytesView))
    }

    @Test("a page asks what the provider asks until it is content; the token and userinfo say whom it knows")
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
        let tokens = try await tokens(try await browser.submit(code, ["code": "2468"]), machine, provider.policy)
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
        // It was told what the configuration lets it be told.
        let told = #"{"accept-language": "de", "x-client-id": "tasks-cli", "x-policy": "b2c_1_corp"}"#
        #expect(provider.program.output().contains("startAuthorization 200 \(told)"), "\(provider.program.output())")
        broker.signal(SIGTERM)
        #expect(broker.wait() == 0)
        #expect(!broker.errors().contains("12345") && !broker.errors().contains("2468"))
    }

    @Test("a question without fields is answered by a document, and what it says cannot deceive") func document()
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
        let location = try #require(done.headers.first(name: "Location"), "\(done.status) \(done.text)")
        #expect(location.contains("code="))
        #expect(provider.program.output().contains("startAuthorization 200 {}"), "\(provider.program.output())")
        broker.signal(SIGTERM)
        #expect(broker.wait() == 0)
    }

    @Test(
        "a provider that fails ends on a page or at the client, and nobody is signed in",
        arguments: [
            "error", "html", "big", "status",
        ]
    )
    func broken(_ fault: String) async throws {
        let provider = try CustomProvider(fault.capitalized, ["--fault", fault])
        defer { provider.end() }
        let machine = try Machine.of([provider])
        let broker = try machine.startBroker()
        var browser = WebBrowser()
        let page = try await browser.open(request(machine, provider.policy))
        let location = try #require(page.headers.first(name: "Location"), "\(page.status) \(page.text)")
        #expect(location.contains("error=") && !location.contains("code="), "\(location)")
        broker.signal(SIGTERM)
        #expect(broker.wait() == 0)
    }

    @Test("one that says success of nobody ends on a page that leads back to the question, which is still open")
    func unnamed() async throws {
        let provider = try CustomProvider("Unnamed", ["--fault", "unnamed"])
        defer { provider.end() }
        let machine = try Machine.of([provider])
        let broker = try machine.startBroker()
        var browser = WebBrowser()
        let page = try await browser.open(request(machine, provider.policy))
        let failed = try await browser.submit(page, Self.right)
        #expect(failed.status == 502, "\(failed.status) \(failed.text)")
        let again = try await browser.open(page.url)
        #expect(again.status == 200 && again.text.contains("name=\"password\""), "\(again.status)")
        broker.signal(SIGTERM)
        #expect(broker.wait() == 0)
    }
}
