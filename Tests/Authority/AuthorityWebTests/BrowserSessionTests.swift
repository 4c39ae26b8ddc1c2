import AuthorityStore
import FlowModel
import HTTPTypes
import OAuth
import Policies
import TestSupport
import Testing
import Tokens

/// Over https, a browser stays signed in (single sign-on).
@Suite(.timeLimit(.minutes(2)))
struct BrowserSessionTests {
    private static let base = "https://login.example"
    private static let session = "__Host-session"

    private func signedIn(_ scene: BrowserScene) async throws -> TestBrowser {
        var browser = TestBrowser(scene)
        try await browser.authorize()
        #expect(try await browser.signUp().reply["code"] != nil)
        return browser
    }

    private func policy(_ rule: SessionRule) throws -> Policy {
        Policy(
            id: try PolicyID(BrowserScene.policy),
            kind: .signUpOrSignIn,
            attributes: [
                AttributeRule(name: "email", required: true, verify: true), AttributeRule(name: "displayName"),
            ],
            session: rule,
            scopes: ["tasks.read": []]
        )
    }

    @Test("a signed-in user gets a response without a page") func once() async throws {
        var browser = try await signedIn(try BrowserScene(base: Self.base))
        #expect(browser.cookies[Self.session]?.utf8.count == 22)
        let answer = try await browser.authorize(["prompt": "none", "client_id": "tasks-cli"])
        #expect(answer.reply["code"] != nil && answer.reply["iss"]?.hasPrefix(Self.base) == true)
        let other = try await browser.authorize(path: "/local/b2c_1_sign_in/oauth2/v2.0/authorize")
        #expect(other.reply["code"] != nil)
    }

    @Test("over http no browser stays signed in") func http() async throws {
        var browser = try await signedIn(try BrowserScene())
        #expect(Array(browser.cookies.keys) == ["flow"])
        #expect(try await browser.authorize(["prompt": "none"]).reply["error"] == "login_required")
        #expect(try await browser.scene.store.sessions.live(owner: .browser(session: "x")) == [])
    }

    @Test("every sign-in gives the browser a new cookie, and the previous one becomes invalid") func fixation()
        async throws
    {
        var browser = try await signedIn(try BrowserScene(base: Self.base))
        var thief = browser
        try await browser.authorize(["prompt": "login"])
        #expect(try await browser.signIn().reply["code"] != nil)
        #expect(browser.cookies[Self.session] != thief.cookies[Self.session])
        #expect(try await thief.authorize(["prompt": "none"]).reply["error"] == "login_required")
        #expect(try await browser.authorize(["prompt": "none"]).reply["code"] != nil)
    }

    @Test("two tabs that continue from one session both get their code, and the browser stays signed in")
    func twoTabs() async throws {
        let scene = try BrowserScene(base: Self.base)
        var first = try await signedIn(scene)
        let cookie = first.cookies[Self.session]
        let web = ["client_id": "web1", "redirect_uri": "https://web.example/cb"]
        try await first.authorize(web)
        var second = first
        try await second.authorize(web)
        var thief = first
        try await thief.authorize(web)
        #expect(try await first.post(["allow": "true"]).reply["code"] != nil)
        #expect(first.cookies[Self.session] != cookie)
        // `thief` still has the previous cookie. `second` is a tab of the same browser as `first`, so it gets the new
        // cookie.
        let refused = try await thief.post(["allow": "true"])
        #expect(refused.status == 410 && refused.reply["code"] == nil && thief.cookies[Self.session] == cookie)
        second.cookies[Self.session] = first.cookies[Self.session]
        #expect(try await second.post(["allow": "true"]).reply["code"] != nil)
        #expect(try await second.authorize(["prompt": "none"]).reply["code"] != nil)
        #expect(try await first.authorize(["prompt": "none"]).reply["error"] == "login_required")
    }

    @Test("flows that a browser abandons do not prevent it from signing in") func abandoned() async throws {
        var browser = try await signedIn(try BrowserScene(base: Self.base))
        for _ in 0..<12 {
            #expect(try await browser.authorize(["prompt": "login"]).location.hasPrefix("/local/flow/"))
        }
        #expect(try await browser.signIn().reply["code"] != nil)
    }

    @Test("new flows begin after earlier flows have expired") func endedLongAgo() async throws {
        let scene = try BrowserScene(base: Self.base)
        for _ in 0..<64 {
            var browser = TestBrowser(scene)
            #expect(try await browser.authorize().location.hasPrefix("/local/flow/"))
        }
        scene.clock.advance(by: .seconds(1200))
        for _ in 0..<4 {
            var browser = TestBrowser(scene)
            #expect(try await browser.authorize().location.hasPrefix("/local/flow/"))
        }
    }

    @Test("a planted session cookie is replaced by the sign-in") func planted() async throws {
        let scene = try BrowserScene(base: Self.base)
        _ = try await signedIn(scene)
        var browser = TestBrowser(scene)
        browser.cookies[Self.session] = "AAAAAAAAAAAAAAAAAAAAAA"
        try await browser.authorize()
        #expect(try await browser.signIn().reply["code"] != nil)
        var thief = TestBrowser(scene)
        thief.cookies[Self.session] = "AAAAAAAAAAAAAAAAAAAAAA"
        #expect(try await thief.authorize(["prompt": "none"]).reply["error"] == "login_required")
    }

    @Test(
        "prompt forces interaction despite a session",
        arguments: ["login", "select_account", "create", "login consent"]
    )
    func prompt(_ prompt: String) async throws {
        var browser = try await signedIn(try BrowserScene(base: Self.base))
        #expect(try await browser.authorize(["prompt": prompt]).location.hasPrefix("/local/flow/"))
    }

    @Test("max_age repeats an authentication that is too old") func maxAge() async throws {
        var browser = try await signedIn(try BrowserScene(base: Self.base))
        browser.scene.clock.advance(by: .seconds(100))
        #expect(try await browser.authorize(["max_age": "200", "prompt": "none"]).reply["code"] != nil)
        #expect(try await browser.authorize(["max_age": "50", "prompt": "none"]).reply["error"] == "login_required")
        #expect(try await browser.authorize(["max_age": "0"]).location.hasPrefix("/local/flow/"))
    }

    @Test("another user that signs in replaces the browser's session") func another() async throws {
        var browser = try await signedIn(try BrowserScene(base: Self.base))
        try await browser.authorize(["prompt": "login"])
        #expect(try await browser.signUp("bob@example.org").reply["code"] != nil)
        let session = try #require(browser.cookies[Self.session])
        let code = try #require(try await browser.authorize(["prompt": "none"]).reply["code"])
        let token = try #require(try await browser.scene.redeem(code)["id_token"]?.string)
        let bob = try await browser.scene.store.users.find(signInName: "bob@example.org")
        #expect(try UnverifiedJWT(token).unverifiedClaims()["sub"]?.string == bob?.id.oid && bob != nil)
        #expect(session.utf8.count == 22)
    }

    @Test(
        "a session is valid for the policies and clients that its scope covers",
        arguments: [
            (SessionScope.tenant, true, true), (.application, true, false), (.policy, true, true),
            (.none, false, false),
        ]
    )
    func reach(_ scope: SessionScope, _ same: Bool, _ client: Bool) async throws {
        let scene = try BrowserScene(base: Self.base, policies: [try policy(SessionRule(scope: scope))])
        var browser = try await signedIn(scene)
        #expect((try await browser.authorize(["prompt": "none"]).reply["code"] != nil) == same)
        let web = ["client_id": "web1", "redirect_uri": "https://web.example/cb", "prompt": "none"]
        let error = try await browser.authorize(web).reply["error"]
        #expect(error == (client ? "consent_required" : "login_required"))
    }

    @Test("a user that chooses to stay signed in does so for the policy's days, others until the lifetime ends")
    func keepMeSignedIn() async throws {
        let rule = SessionRule(lifetime: .seconds(1000), keepMeSignedInDays: 30)
        let scene = try BrowserScene(base: Self.base, policies: [try policy(rule)])
        var browser = try await signedIn(scene)
        try await browser.authorize(["prompt": "login"])
        #expect(try await browser.page().text.contains("_keepMeSignedIn"))
        let answers = ["username": BrowserScene.email, "password": BrowserScene.password, "_keepMeSignedIn": "true"]
        let answer = try await browser.post(answers)
        #expect(answer.headers[values: .setCookie].contains { $0.contains("; Max-Age=2592000") })
        scene.clock.advance(by: .seconds(29 * 86_400))
        #expect(try await browser.authorize(["prompt": "none"]).reply["code"] != nil)
        scene.clock.advance(by: .seconds(2 * 86_400))
        #expect(try await browser.authorize(["prompt": "none"]).reply["error"] == "login_required")
    }

    @Test("a policy without that choice neither offers nor accepts it") func keepsNobody() async throws {
        let scene = try BrowserScene(base: Self.base)
        var browser = try await signedIn(scene)
        try await browser.authorize(["prompt": "login"])
        #expect(!(try await browser.page().text.contains("_keepMeSignedIn")))
        let answers = ["username": BrowserScene.email, "password": BrowserScene.password, "_keepMeSignedIn": "true"]
        let cookie = try await browser.post(answers).headers[values: .setCookie].first { $0.hasPrefix(Self.session) }
        #expect(cookie?.contains("Max-Age") == false)
    }

    @Test("a rolling session is extended by use, and an absolute one expires", arguments: SessionRule.Kind.allCases)
    func end(_ kind: SessionRule.Kind) async throws {
        let rule = SessionRule(kind: kind, lifetime: .seconds(1000))
        var browser = try await signedIn(try BrowserScene(base: Self.base, policies: [try policy(rule)]))
        browser.scene.clock.advance(by: .seconds(900))
        #expect(try await browser.authorize(["prompt": "none"]).reply["code"] != nil)
        browser.scene.clock.advance(by: .seconds(900))
        #expect((try await browser.authorize(["prompt": "none"]).reply["code"] != nil) == (kind == .rolling))
    }

    @Test("login_hint fills in the name, in any browser") func hint() async throws {
        var browser = TestBrowser(try BrowserScene())
        try await browser.authorize(["login_hint": "bob@example.org"])
        #expect(try await browser.page().text.contains("value=\"bob@example.org\""))
        try await browser.authorize()
        #expect(try await !browser.page().text.contains("bob@example.org"))
    }

    @Test("prompt=select_account asks for the account, and the user may choose another one") func select() async throws
    {
        var browser = try await signedIn(try BrowserScene(base: Self.base))
        try await browser.authorize(["prompt": "select_account"])
        let page = try await browser.page()
        #expect(page.text.contains("name=\"username\"") && page.text.contains("type=\"password\""))
        #expect(try await browser.signUp("bob@example.org").reply["code"] != nil)
    }

    @Test("prompt=create starts with a sign-up, and is rejected if the policy has no sign-up") func create()
        async throws
    {
        let scene = try BrowserScene()
        var browser = TestBrowser(scene)
        try await browser.authorize(["prompt": "create"])
        let page = try await browser.page()
        #expect(page.text.contains("name=\"email\"") && page.text.contains("name=\"displayName\""))
        try await browser.authorize()
        #expect(try await !browser.page().text.contains("name=\"displayName\""))
        let path = "/local/b2c_1_sign_in/oauth2/v2.0/authorize"
        let refused = try await scene.authorize(["prompt": "create"], path: path)
        #expect(refused.reply["error"] == "invalid_request")
        #expect(refused.reply["error_description"]?.hasPrefix("AADB2C90043: ") == true)
    }
}
