import Flows
import Foundation
import HTTPServer
import HTTPTypes
import LocalIssuer
import Moments
import OAuth
import OpenIDClient
import Policies
import Synchronization
import TestSupport
import Testing

/// Sessions that begin with a sign-in at an external identity provider.
@Suite(.timeLimit(.minutes(2)))
struct ProviderSessionTests {
    private static let base = "https://login.example"
    private static let back = "/local/oauth2/authresp"
    /// A policy that allows only the provider, and creates accounts.
    private static let partner = "b2c_1_partner"
    /// A policy that allows the provider and a local password, but creates no accounts.
    private static let both = "b2c_1_both"

    /// The provider's registration, which a test may change.
    private final class Registrations: Sendable {
        let all: Mutex<[String: ProviderRegistration]>

        init(_ provider: LocalProvider) { all = Mutex(["partner": Self.registration(provider, provider.issuer)]) }

        static func registration(_ provider: LocalProvider, _ issuer: String) -> ProviderRegistration {
            ProviderRegistration(
                name: "partner",
                displayName: "Partner",
                issuer: issuer,
                clientID: provider.clientID,
                redirectURI: ProviderSessionTests.base + ProviderSessionTests.back,
                secret: Secret(provider.secret)
            )
        }
    }

    private func withScene(_ test: (BrowserScene, LocalProvider, Registrations) async throws -> Void) async throws {
        let socket = try ListeningSocket(.tcp(host: "127.0.0.1", port: 0))
        let provider = try LocalProvider(issuer: "http://\(socket.address)")
        let registrations = Registrations(provider)
        let client = OpenIDClient(clock: .system)
        let rule = SessionRule(keepMeSignedInDays: 30)
        let scene = try BrowserScene(
            base: Self.base,
            policies: [
                Policy(
                    id: try PolicyID(Self.partner),
                    kind: .social,
                    identityProviders: ["partner"],
                    session: rule,
                    scopes: ["tasks.read": []]
                ),
                Policy(
                    id: try PolicyID(Self.both),
                    kind: .signIn,
                    identityProviders: ["local", "partner"],
                    session: rule,
                    scopes: ["tasks.read": []]
                ),
            ],
            providers: ProviderCalls(client: client) { registrations.all.withLock { $0 } }
        )
        try await provider.serve(socket) {
            do {
                try await test(scene, provider, registrations)
            } catch {
                try await client.shutdown()
                throw error
            }
            try await client.shutdown()
        }
    }

    private func authorize(_ policy: String) -> String { "/local/\(policy)/oauth2/v2.0/authorize" }

    private func refresh(of answer: BrowserScene.Answer) throws -> String {
        let name = try #require(HTTPField.Name("Refresh"))
        return String(try #require(answer.headers[name]).dropFirst("0; url=".count))
    }

    /// Sends the provider's response to the authority, as a redirected browser does.
    private func comeBack(
        _ browser: inout TestBrowser,
        from address: String,
        _ provider: LocalProvider
    ) async throws -> BrowserScene.Answer {
        try await browser.send(.get, Self.back + "?" + Form.encoded(try provider.answer(to: address).pairs))
    }

    private func signedIn(_ scene: BrowserScene, _ provider: LocalProvider) async throws -> TestBrowser {
        var browser = TestBrowser(scene)
        let leaving = try await browser.authorize(path: authorize(Self.partner))
        #expect(leaving.status == 303 && leaving.location.hasPrefix(provider.issuer))
        #expect(try await comeBack(&browser, from: leaving.location, provider).reply["code"] != nil)
        #expect(browser.cookies["__Host-session"] != nil)
        return browser
    }

    /// Requests a sign-out as the client `web1` does, and confirms the sign-out on the page.
    private func signOut(_ browser: inout TestBrowser) async throws -> BrowserScene.Answer {
        let query = Form.encoded([
            ("client_id", "web1"), ("post_logout_redirect_uri", "https://web.example/out"), ("state", "s1"),
        ])
        let path = "/local/\(Self.partner)/oauth2/v2.0/logout?\(query)"
        let asked = try await browser.send(.get, path)
        let done = try await browser.send(.post, path, form: asked.hidden.merging(["_decision": "allow"]) { $1 })
        #expect(browser.cookies["__Host-session"] == nil)
        let silent = try await browser.authorize(["prompt": "none"], path: authorize(Self.partner))
        #expect(silent.reply["error"] == "login_required")
        return done
    }

    @Test(
        "a user that returns from a provider continues by a page, since its form may not redirect to the client"
    )
    func onwardByPage() async throws {
        try await withScene { scene, provider, _ in
            var browser = TestBrowser(scene)
            let leaving = try await browser.authorize(["ui_locales": "de"], path: authorize(Self.partner))
            let back = try await comeBack(&browser, from: leaving.location, provider)
            #expect(back.status == 200 && back.headers[.location] == nil)
            #expect(back.text.contains("<html lang=\"de\"") && back.text.contains("Zu tasks fortfahren"))
            #expect(try refresh(of: back).hasPrefix("https://tasks.example/cb?") && back.reply["code"] != nil)
            #expect(back.headers[.contentSecurityPolicy]?.contains("form-action 'self';") == true)
            #expect(browser.cookies["__Host-session"] != nil)
        }
    }

    @Test("RP-Initiated Logout §2: a user of a provider is signed out locally, then at the provider, then returns")
    func signOutThere() async throws {
        try await withScene { scene, provider, _ in
            var browser = try await signedIn(scene, provider)
            let leaving = try await signOut(&browser)
            #expect(leaving.status == 200 && leaving.text.contains("Partner"))
            let address = try refresh(of: leaving)
            #expect(address.hasPrefix(provider.issuer + "/logout?"))
            let asked = try Form(String(address.split(separator: "?", maxSplits: 1)[1]))
            #expect(asked["client_id"] == provider.clientID)
            #expect(asked["post_logout_redirect_uri"] == Self.base + Self.back)
            let back = Self.back + "?" + Form.encoded([("state", try #require(asked["state"]))])
            // Only the browser that went to the provider can return, and only once.
            #expect(try await scene.send(.get, back).status == 404)
            let done = try await browser.send(.get, back)
            #expect(done.status == 200 && done.location == "https://web.example/out?state=s1")
            #expect(done.text.contains("Continue to Web One"))
            #expect(try await browser.send(.get, back).status == 404)
        }
    }

    @Test("a sign-out without a client ends on a local page when the browser returns") func noClient() async throws {
        try await withScene { scene, provider, _ in
            var browser = try await signedIn(scene, provider)
            let path = "/local/\(Self.partner)/oauth2/v2.0/logout"
            let yes = try await browser.send(.get, path).hidden.merging(["_decision": "allow"]) { $1 }
            let address = try refresh(of: try await browser.send(.post, path, form: yes))
            let asked = try Form(String(address.split(separator: "?", maxSplits: 1)[1]))
            let back = try await browser.send(.get, Self.back + "?" + Form.encoded([("state", asked["state"] ?? "")]))
            #expect(back.status == 200 && back.text.contains("You are signed out"))
        }
    }

    @Test("a provider that has no logout endpoint, is unreachable or was removed is skipped", arguments: 0..<3)
    func leftOut(_ kind: Int) async throws {
        try await withScene { scene, provider, registrations in
            if kind == 0 { provider.endNoSessions() }
            var browser = try await signedIn(scene, provider)
            switch kind {
            case 1:
                let gone = Registrations.registration(provider, "http://127.0.0.1:\(freePort())")
                registrations.all.withLock { $0["partner"] = gone }
            case 2: registrations.all.withLock { $0 = [:] }
            default: break
            }
            let done = try await signOut(&browser)
            #expect(done.status == 200 && done.location == "https://web.example/out?state=s1")
            let warnings = scene.log.all.filter { $0.hasPrefix("warning: provider session not ended") }
            #expect(warnings.count == (kind == 1 ? 1 : 0), "\(scene.log.all)")
            #expect(warnings.allSatisfy { $0.contains("correlationId=") }, "\(warnings)")
        }
    }

    @Test(
        "a user has 600 s at a provider: one that returns later is not signed in, and no code is redeemed",
        arguments: [(599, true), (600, false)]
    )
    func way(_ seconds: Int, _ isInTime: Bool) async throws {
        try await withScene { scene, provider, _ in
            var browser = TestBrowser(scene)
            let leaving = try await browser.authorize(path: authorize(Self.partner))
            scene.clock.advance(by: .seconds(seconds))
            let back = try await comeBack(&browser, from: leaving.location, provider)
            #expect((back.reply["code"] != nil) == isInTime, "\(back)")
            #expect(provider.redemptions == (isInTime ? 1 : 0))
            guard !isInTime else { return }
            #expect(back.status == 404 && browser.cookies["__Host-session"] == nil, "\(back)")
        }
    }

    @Test("a user of a provider does not stay signed in, even with the box ticked; a user with a local password does")
    func keepMeSignedIn() async throws {
        try await withScene { scene, provider, _ in
            var local = TestBrowser(scene)
            try await local.authorize()
            _ = try await local.signUp()
            func isKept(_ answer: BrowserScene.Answer) throws -> Bool {
                let set = answer.headers[values: .setCookie].first { $0.hasPrefix("__Host-session=") }
                return try #require(set).contains("Max-Age=2592000")
            }
            // This sign-in with the policy `partner` creates the account of the provider's user, because the policy
            // `both`, which is used below, creates no accounts.
            _ = try await signedIn(scene, provider)
            var browser = TestBrowser(scene)
            try await browser.authorize(path: authorize(Self.both))
            let asked = try await browser.page()
            #expect(asked.text.contains("_keepMeSignedIn"))
            let leaving = try await browser.post(["_provider": "partner", "_keepMeSignedIn": "true"], from: asked)
            let back = try await comeBack(&browser, from: try refresh(of: leaving), provider)
            #expect(try back.reply["code"] != nil && !isKept(back))
            local = TestBrowser(scene)
            try await local.authorize(path: authorize(Self.both))
            let answers = ["username": BrowserScene.email, "password": BrowserScene.password]
            let answer = try await local.post(answers.merging(["_keepMeSignedIn": "true"]) { $1 })
            #expect(try isKept(answer))
        }
    }
}
