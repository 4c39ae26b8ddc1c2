import AuthorityStore
import FlowModel
import Foundation
import HTTPTypes
import OAuth
import Policies
import TestSupport
import Testing
import Tokens

/// Over https, a user can choose to be remembered in a browser.
@Suite(.timeLimit(.minutes(2)))
struct RememberMeTests {
    private static let base = "https://login.example"
    private static let session = "__Host-session"
    private static let yes = [
        "username": BrowserScene.email, "password": BrowserScene.password, "rememberMe": "true",
    ]

    /// Creates a browser in which a user has signed up.
    ///
    /// By default, a password is remembered for 5000 s. A session lasts 1000 s.
    private func browser(
        rememberMe: Duration = .seconds(5000),
        secondFactor: SecondFactor = SecondFactor(),
        passwordLife: Duration? = nil
    ) async throws -> TestBrowser {
        var password = PasswordRule.strong
        password.expiresAfter = passwordLife
        let policy = Policy(
            id: try PolicyID(BrowserScene.policy),
            kind: .signUpOrSignIn,
            attributes: [
                AttributeRule(name: "email", required: true, verify: true), AttributeRule(name: "displayName"),
            ],
            session: SessionRule(lifetime: .seconds(1000)),
            password: password,
            secondFactor: secondFactor,
            scopes: ["tasks.read": []]
        )
        let scene = try BrowserScene(
            base: Self.base,
            policies: [policy],
            password: Check(name: "UserLogin", type: .password, rememberMe: rememberMe)
        )
        var browser = TestBrowser(scene)
        try await browser.authorize()
        #expect(try await browser.signUp().reply["code"] != nil)
        return browser
    }

    private func authTime(_ answer: BrowserScene.Answer, _ scene: BrowserScene) async throws -> Int64? {
        let token = try await scene.redeem(try #require(answer.reply["code"]))["id_token"]?.string
        return try UnverifiedJWT(try #require(token)).unverifiedClaims()["auth_time"]?.int
    }

    private func isAsked(_ browser: inout TestBrowser) async throws -> Bool {
        try await browser.authorize(["prompt": "none"]).reply["error"] == "login_required"
    }

    @Test("a remembered user needs no page after the session, until the duration ends; auth_time does not change")
    func remembered() async throws {
        var browser = try await browser()
        let scene = browser.scene
        try await browser.authorize(["prompt": "login"])
        #expect(try await browser.page().text.contains(#"name="rememberMe""#))
        let answer = try await browser.post(Self.yes)
        let cookie = answer.headers[values: .setCookie].first { $0.hasPrefix(Self.session) }
        #expect(cookie?.contains("; Max-Age=5000") == true, "the cookie outlives the browser")
        let first = try await authTime(answer, scene)
        scene.clock.advance(by: .seconds(4000))
        #expect(try await authTime(try await browser.authorize(["prompt": "none"]), scene) == first)
        // A sign-in without a prompt does not change the time of the authentication.
        let newer = try await browser.authorize(["prompt": "none", "max_age": "3000"])
        #expect(newer.reply["error"] == "login_required")
        #expect(try await browser.authorize(["prompt": "login"]).location.hasPrefix("/local/flow/"))
        scene.clock.advance(by: .seconds(1001))
        #expect(try await isAsked(&browser))
    }

    @Test("without remember-me the user is prompted after the session, and a check that forbids it does not offer it")
    func notRemembered() async throws {
        var browser = try await browser()
        try await browser.authorize(["prompt": "login"])
        #expect(try await browser.signIn().reply["code"] != nil)
        browser.scene.clock.advance(by: .seconds(2000))
        #expect(try await isAsked(&browser))
        var other = try await self.browser(rememberMe: .zero)
        try await other.authorize(["prompt": "login"])
        #expect(try await !other.page().text.contains("rememberMe"))
    }

    @Test("only this browser is remembered: not another one, not after a sign-out, and not after a later \"no\"")
    func forgotten() async throws {
        var browser = try await browser()
        try await browser.authorize(["prompt": "login"])
        #expect(try await browser.post(Self.yes).reply["code"] != nil)
        var thief = TestBrowser(browser.scene)
        var again = browser
        browser.scene.clock.advance(by: .seconds(2000))
        #expect(try await isAsked(&thief))
        #expect(try await !isAsked(&browser))

        try await again.authorize(["prompt": "login"])
        #expect(try await again.signIn().reply["code"] != nil)
        browser.scene.clock.advance(by: .seconds(1100))
        #expect(try await isAsked(&again))

        try await again.authorize(["prompt": "login"])
        #expect(try await again.post(Self.yes).reply["code"] != nil)
        // The session has ended, but the remembered user can still be signed out.
        browser.scene.clock.advance(by: .seconds(1100))
        let path = "/local/\(BrowserScene.policy)/oauth2/v2.0/logout"
        let page = try await again.send(.get, path)
        #expect(page.hidden["_csrf"] != nil)
        let session = again.cookies[Self.session]
        _ = try await again.send(.post, path, form: page.hidden.merging(["_decision": "allow"]) { $1 })
        again.cookies[Self.session] = session
        #expect(try await isAsked(&again))
    }

    @Test("a second tab that continues from the session leaves the browser remembered") func secondTab() async throws {
        var first = try await browser()
        try await first.authorize(["prompt": "login"])
        #expect(try await first.post(Self.yes).reply["code"] != nil)
        let web = ["client_id": "web1", "redirect_uri": "https://web.example/cb"]
        try await first.authorize(web)
        var second = first
        try await second.authorize(web)
        #expect(try await first.post(["allow": "true"]).reply["code"] != nil)
        second.cookies[Self.session] = first.cookies[Self.session]
        #expect(try await second.post(["allow": "true"]).reply["code"] != nil)
        first.scene.clock.advance(by: .seconds(2000))
        #expect(try await !isAsked(&second))
    }

    @Test("additional checks of a policy run even if the password is remembered") func secondFactor()
        async throws
    {
        var browser = try await browser(secondFactor: SecondFactor(when: .always, checks: ["EmailCode"]))
        try await browser.authorize(["prompt": "login"])
        #expect(try await browser.post(Self.yes).reply["code"] == nil)
        #expect(try await browser.post(["code": try await browser.scene.mailedCode()]).reply["code"] != nil)
        browser.scene.clock.advance(by: .seconds(2000))
        #expect(try await browser.authorize().location.hasPrefix("/local/flow/"))
        let page = try await browser.page()
        #expect(page.text.contains(#"name="code""#) && !page.text.contains(#"name="password""#))
        #expect(try await browser.post(["code": try await browser.scene.mailedCode()]).reply["code"] != nil)
    }

    @Test("a password that must be changed is requested, even from a remembered user") func expired() async throws {
        var browser = try await browser(passwordLife: .seconds(1800))
        try await browser.authorize(["prompt": "login"])
        #expect(try await browser.post(Self.yes).reply["code"] != nil)
        browser.scene.clock.advance(by: .seconds(1500))
        #expect(try await !isAsked(&browser))
        browser.scene.clock.advance(by: .seconds(1100))
        #expect(try await isAsked(&browser))
    }

    @Test("a failed re-authentication in a browser does not affect an existing success") func wrongAgain() async throws
    {
        var browser = try await browser()
        let first = try await authTime(try await browser.authorize(["prompt": "none"]), browser.scene)
        browser.scene.clock.advance(by: .seconds(10))
        try await browser.authorize(["prompt": "login"])
        let wrong = try await browser.signIn(BrowserScene.email, "Wrong-horse-7")
        #expect(wrong.reply["code"] == nil)
        let answer = try await browser.authorize(["prompt": "none"])
        #expect(try await authTime(answer, browser.scene) == first)
    }
}
