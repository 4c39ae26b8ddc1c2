import AuthorityStore
import FlowModel
import HTTPTypes
import OAuth
import Policies
import TestSupport
import Testing

/// Over https, a policy can require a second factor only in unknown browsers.
@Suite(.timeLimit(.minutes(2)))
struct KnownBrowserTests {
    /// Creates a browser that has passed the second factor, which the policy requires in unknown browsers.
    private func known() async throws -> TestBrowser {
        let policy = Policy(
            id: try PolicyID(BrowserScene.policy),
            kind: .signUpOrSignIn,
            attributes: [
                AttributeRule(name: "email", required: true, verify: true), AttributeRule(name: "displayName"),
            ],
            secondFactor: SecondFactor(when: .newDevice, checks: ["EmailCode"]),
            scopes: ["tasks.read": []]
        )
        var browser = TestBrowser(try BrowserScene(base: "https://login.example", policies: [policy]))
        try await browser.authorize()
        #expect(try await browser.signUp().reply["code"] != nil)
        return browser
    }

    /// Signs in with a password, and returns the response.
    ///
    /// If the response contains no code, a second factor is required.
    private func signIn(
        _ browser: inout TestBrowser,
        _ password: String = BrowserScene.password
    ) async throws -> BrowserScene.Answer {
        try await browser.authorize(["prompt": "login"])
        return try await browser.signIn(BrowserScene.email, password)
    }

    @Test("a browser that passed a second factor is not prompted again; another browser is, and is known afterwards")
    func once() async throws {
        var browser = try await known()
        #expect(try await signIn(&browser).reply["code"] != nil)
        var other = TestBrowser(browser.scene)
        let asked = try await signIn(&other)
        #expect(asked.reply["code"] == nil && asked.location.hasPrefix("/local/flow/"))
        #expect(try await other.post(["code": try await browser.scene.mailedCode()]).reply["code"] != nil)
        #expect(try await signIn(&other).reply["code"] != nil)
    }

    @Test("the cookie of a known browser is valid for its user only, and hidden from scripts and other sites")
    func cookie() async throws {
        var browser = try await known()
        let name = try #require(browser.cookies.keys.first { $0.contains("device") })
        #expect(name.hasPrefix("__Host-"))
        var bob = TestBrowser(browser.scene)
        bob.cookies[name] = browser.cookies[name]
        try await bob.authorize()
        #expect(try await bob.signUp("bob@example.org").reply["code"] != nil)
        bob.cookies = [name: "AAAAAAAAAAAAAAAAAAAAAA"]
        try await bob.authorize(["prompt": "login"])
        let made = try await bob.signIn("bob@example.org")
        #expect(made.reply["code"] == nil, "a made-up cookie is no known browser")
        #expect(try await signIn(&browser).reply["code"] != nil)
    }

    @Test("a session without the second factor does not open the account page") func account() async throws {
        var browser = try await known()
        #expect(try await browser.send(.get, "/local/account").status == 200)
        var other = TestBrowser(browser.scene)
        try await other.authorize(path: "/local/b2c_1_sign_in/oauth2/v2.0/authorize")
        #expect(try await other.signIn().reply["code"] != nil)
        other.place = try await other.send(.get, "/local/account").location
        #expect(other.place.hasPrefix("/local/flow/"))
        #expect(try await other.signIn().location.hasPrefix("/local/flow/"))
        #expect(try await other.post(["code": try await browser.scene.mailedCode()]).location == "/local/account")
    }

    @Test("after a password change every browser is unknown") func changed() async throws {
        var browser = try await known()
        let scene = browser.scene
        let user = try #require(try await scene.store.users.find(signInName: BrowserScene.email))
        let old = try #require(user.passwordHash)
        try await scene.store.users.changePassword(
            of: user.id,
            from: old,
            to: old,
            keeping: .browser(session: "none"),
            settled: [],
            events: []
        )
        #expect(try await signIn(&browser).reply["code"] == nil)
    }
}
