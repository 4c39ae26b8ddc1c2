import Authority
import AuthorityStore
import AuthorityWeb
import FlowModel
import Flows
import Foundation
import HTTPTypes
import Moments
import OAuth
import Policies
import TestSupport
import Testing
import Tokens

@Suite(.timeLimit(.minutes(2)))
struct LogoutTests {
    private static let base = "https://login.example"
    private static let path = "/local/\(BrowserScene.policy)/oauth2/v2.0/logout"

    private func signedIn() async throws -> TestBrowser {
        var browser = TestBrowser(try BrowserScene(base: Self.base))
        try await browser.authorize()
        #expect(try await browser.signUp().reply["code"] != nil)
        return browser
    }

    private func query(_ parameters: [String: String]) -> String {
        Self.path + "?" + Form.encoded(parameters.map { ($0.key, $0.value) })
    }

    @Test("RP-Initiated Logout §2: without a hint the user must confirm, and \"no\" comes first") func asks()
        async throws
    {
        var browser = try await signedIn()
        let page = try await browser.send(.get, Self.path)
        #expect(page.status == 200 && page.hidden["_csrf"] != nil)
        #expect(try await browser.authorize(["prompt": "none"]).reply["code"] != nil)
        let form = page.hidden.merging(["_decision": "deny"]) { $1 }
        let refused = try await browser.send(.post, Self.path, form: form)
        let stayed = try await browser.notice(after: refused)
        #expect(stayed.text.contains("Nothing was changed"))
        #expect(try await browser.authorize(["prompt": "none"]).reply["code"] != nil)
        let yes = page.hidden.merging(["_decision": "allow"]) { $1 }
        let done = try await browser.send(.post, Self.path, form: yes)
        #expect(done.location == "/local/notice?done=signed-out&p=\(BrowserScene.policy)")
        #expect(browser.cookies["__Host-session"] == nil)
        #expect(try await browser.notice(after: done).text.contains("You are signed out"))
        #expect(try await browser.authorize(["prompt": "none"]).reply["error"] == "login_required")
    }

    @Test("Back-Channel Logout §2.3: a client with a sign-in by browser is notified, and over http none is")
    func told() async throws {
        for (base, count) in [(Self.base, Int64(1)), ("http://localhost:8420", 0)] {
            var browser = TestBrowser(try BrowserScene(base: base))
            let web: [String: String?] = ["client_id": "web1", "redirect_uri": "https://web.example/cb"]
            try await browser.authorize(web)
            let asked = try await browser.signUp()
            let answer = asked.reply["code"] == nil ? try await browser.post(["allow": "true"]) : asked
            let code = try #require(answer.reply["code"])
            let scene = browser.scene
            let tokens = try await scene.redeem(code, client: "web1", redirectURI: "https://web.example/cb")
            let claims = try UnverifiedJWT(try #require(tokens["id_token"]?.string)).unverifiedClaims()
            #expect((claims["sid"] != nil) == (count == 1))
            #expect(try await scene.store.logouts.count() == 0)
            let page = try await browser.send(.get, Self.path)
            let yes = page.hidden.merging(["_decision": "allow"]) { $1 }
            _ = try await browser.send(.post, Self.path, form: yes)
            #expect(try await scene.store.logouts.count() == count)
        }
    }

    @Test("a code issued before a sign-out is invalid after it, and its client is not notified")
    func codeBefore() async throws {
        var browser = try await signedIn()
        let scene = browser.scene
        let web: [String: String?] = ["client_id": "web1", "redirect_uri": "https://web.example/cb"]
        let asked = try await browser.authorize(web)
        let answer = asked.reply["code"] == nil ? try await browser.post(["allow": "true"]) : asked
        let first = try #require(answer.reply["code"])
        let second = try #require(try await browser.authorize(web).reply["code"])
        _ = try await scene.redeem(first, client: "web1", redirectURI: "https://web.example/cb")
        let page = try await browser.send(.get, Self.path)
        _ = try await browser.send(.post, Self.path, form: page.hidden.merging(["_decision": "allow"]) { $1 })
        let refused = await #expect(throws: OAuthError.self) {
            try await scene.redeem(second, client: "web1", redirectURI: "https://web.example/cb")
        }
        #expect(refused?.code == .invalidGrant)
        #expect(try await scene.store.logouts.count() == 1)
    }

    @Test("a page that was open at a sign-out does not sign in again, and gives no code") func openPage() async throws {
        var browser = try await signedIn()
        try await browser.authorize(["client_id": "web1", "redirect_uri": "https://web.example/cb"])
        let asked = try await browser.page()
        #expect(asked.hidden["_csrf"] != nil)
        let page = try await browser.send(.get, Self.path)
        _ = try await browser.send(.post, Self.path, form: page.hidden.merging(["_decision": "allow"]) { $1 })
        let answer = try await browser.post(["allow": "true"], from: asked)
        #expect(answer.status == 410 && answer.reply["code"] == nil)
        #expect(answer.text.contains("you signed out, or the sign-in expired"))
        #expect(try await browser.authorize(["prompt": "none"]).reply["error"] == "login_required")
    }

    @Test("a page that was open at a sign-out gives no code after the password was repeated before it")
    func openPageOfNewSignIn() async throws {
        var browser = try await signedIn()
        let web: [String: String?] = ["client_id": "web1", "redirect_uri": "https://web.example/cb"]
        try await browser.authorize(web.merging(["prompt": "login consent"]) { $1 })
        let proof = ["username": BrowserScene.email, "password": BrowserScene.password]
        _ = try await browser.post(proof, from: try await browser.page())
        let asked = try await browser.page()
        #expect(asked.text.contains("allow"))
        let page = try await browser.send(.get, Self.path)
        _ = try await browser.send(.post, Self.path, form: page.hidden.merging(["_decision": "allow"]) { $1 })
        let answer = try await browser.post(["allow": "true"], from: asked)
        #expect(answer.status == 410 && answer.reply["code"] == nil)
        #expect(try await browser.authorize(["prompt": "none"]).reply["error"] == "login_required")
    }

    @Test("a confirmed sign-out continues at the client by a page, since a form may not redirect to another origin")
    func onwardByPage() async throws {
        var browser = try await signedIn()
        let parameters = ["client_id": "web1", "post_logout_redirect_uri": "https://web.example/out", "state": "s"]
        let asked = try await browser.send(.get, query(parameters))
        #expect(asked.hidden["_csrf"] != nil)
        #expect(asked.headers[.contentSecurityPolicy]?.contains("form-action 'self';") == true)
        let yes = asked.hidden.merging(["_decision": "allow"]) { $1 }
        let done = try await browser.send(.post, query(parameters), form: yes)
        #expect(done.status == 200 && done.headers[.location] == nil)
        #expect(done.location == "https://web.example/out?state=s")
        #expect(done.text.contains("<a class=\"button\" href=\"https://web.example/out?state=s\""))
        #expect(done.text.contains("Continue to Web One") && done.text.contains("You are signed out"))
        #expect(browser.cookies["__Host-session"] == nil)
    }

    @Test("a confirmation that did not come from the page signs no user out") func forged() async throws {
        var browser = try await signedIn()
        for token in ["", "x"] {
            let form = ["_decision": "allow", "_csrf": token]
            #expect(try await browser.send(.post, Self.path, form: form).status == 403)
        }
        let page = try await browser.send(.get, Self.path)
        let name = try #require(HTTPField.Name("Sec-Fetch-Site"))
        let form = page.hidden.merging(["_decision": "allow"]) { $1 }
        #expect(try await browser.send(.post, Self.path, form: form, headers: [name: "cross-site"]).status == 403)
        #expect(try await browser.authorize(["prompt": "none"]).reply["code"] != nil)
    }

    @Test(
        "RP-Initiated Logout §3: the browser is redirected only to registered addresses",
        arguments: [
            "https://evil.example/", "https://web.example/out/", "https://web.example/out?x=1",
            "https://WEB.example/out",
            "javascript:alert(1)",
        ]
    )
    func openRedirect(_ address: String) async throws {
        var browser = try await signedIn()
        let parameters = ["client_id": "web1", "post_logout_redirect_uri": address]
        let answer = try await browser.send(.get, query(parameters))
        #expect(answer.status == 400 && answer.headers[.location] == nil && answer.text.contains("AADB2C90067"))
        let nameless = try await browser.send(.get, query(["post_logout_redirect_uri": "https://web.example/out"]))
        #expect(nameless.status == 400 && nameless.headers[.location] == nil)
    }

    @Test("RP-Initiated Logout §3: a registered address gets the state") func location() async throws {
        var browser = TestBrowser(try BrowserScene(base: Self.base))
        let parameters = [
            "client_id": "web1", "post_logout_redirect_uri": "https://web.example/out", "state": "a b",
        ]
        let answer = try await browser.send(.get, query(parameters))
        #expect(answer.status == 303 && answer.location == "https://web.example/out?state=a%20b")
        let posted = try await browser.send(.post, Self.path, form: parameters)
        // The redirect turns the POST into a GET, which sends the browser's cookies.
        let again = try await browser.send(.get, posted.location)
        #expect(posted.status == 303 && again.location == answer.location)
    }

    @Test("a request without the session cookie, as from another site, does not delete the cookie")
    func withoutCookie() async throws {
        let browser = try await signedIn()
        for (method, form) in [(.get, nil), (.post, ["client_id": "web1"])] as [(HTTPRequest.Method, [String: String]?)]
        {
            let answer = try await browser.scene.send(method, Self.path, form: form)
            #expect(answer.status < 400 && answer.headers[.setCookie] == nil)
        }
        var same = browser
        #expect(try await same.authorize(["prompt": "none"]).reply["code"] != nil)
    }

    @Test("a repeated parameter is rejected, in the address and in the form", arguments: ["state", "_csrf"])
    func doubled(_ name: String) async throws {
        var browser = try await signedIn()
        let twice = Form.encoded([(name, "a"), (name, "b"), ("client_id", "web1")])
        #expect(try await browser.scene.send(.get, Self.path + "?" + twice).status == 400)
        let posted = try await browser.scene.send(.post, Self.path, body: twice + "&_decision=allow")
        #expect(posted.status == 400 && posted.text.contains("A parameter is repeated"))
        #expect(try await browser.authorize(["prompt": "none"]).reply["code"] != nil)
    }

    @Test("a hint that is not an ID token of this authority is rejected") func badHint() async throws {
        var browser = try await signedIn()
        #expect(try await browser.send(.get, query(["id_token_hint": "a.b.c"])).text.contains("AADB2C90232"))
        #expect(try await browser.authorize(["prompt": "none"]).reply["code"] != nil)
    }

    @Test("a policy may require a hint: without one there is no prompt and no sign-out") func requiresHint()
        async throws
    {
        let policy = Policy(
            id: try PolicyID(BrowserScene.policy),
            kind: .signUpOrSignIn,
            attributes: [
                AttributeRule(name: "email", required: true, verify: true), AttributeRule(name: "displayName"),
            ],
            session: SessionRule(requireIdTokenHintAtLogout: true),
            scopes: ["tasks.read": []]
        )
        var browser = TestBrowser(try BrowserScene(base: Self.base, policies: [policy]))
        try await browser.authorize()
        let code = try #require(try await browser.signUp().reply["code"])
        for path in [Self.path, query(["client_id": "web1", "post_logout_redirect_uri": "https://web.example/out"])] {
            let refused = try await browser.send(.get, path)
            #expect(refused.status == 400 && refused.hidden["_csrf"] == nil && refused.headers[.location] == nil)
            #expect(refused.text.contains("AADB2C90272"))
        }
        #expect(try await browser.authorize(["prompt": "none"]).reply["code"] != nil)
        let tokens = try await browser.scene.redeem(code)
        let hint = try #require(tokens["id_token"]?.string)
        #expect(try await browser.send(.get, query(["id_token_hint": hint])).status == 200)
        #expect(try await browser.authorize(["prompt": "none"]).reply["error"] == "login_required")
    }

    @Test("B2C's address with ?p= signs out, too, and keeps the policy in its redirects") func addressed() async throws
    {
        var browser = try await signedIn()
        let path = "/local/oauth2/v2.0/logout"
        #expect(try await browser.send(.get, path).status == 404)
        let asked = try await browser.send(.get, "\(path)?p=B2C_1_sign_up_or_in")
        #expect(asked.status == 200 && asked.hidden["_csrf"] != nil)
        // A POST from a client is redirected to a GET with the same policy.
        let form = ["client_id": "web1", "p": "B2C_1_sign_up"]
        let posted = try await browser.send(.post, "\(path)?p=B2C_1_sign_up_or_in", form: form)
        #expect(posted.status == 303 && posted.location.hasPrefix("\(path)?"))
        let page = try await browser.send(.get, posted.location)
        #expect(page.status == 200 && page.hidden["_csrf"] != nil)
        let action = try #require(page.text.firstMatch(of: /<form[^>]* action="([^"]+)"/)?.1)
        let yes = page.hidden.merging(["_decision": "allow"]) { $1 }
        let address = String(action).replacing("&amp;", with: "&")
        let confirmed = try await browser.send(.post, address, form: yes)
        let done = try await browser.notice(after: confirmed)
        #expect(done.text.contains("You are signed out"))
        #expect(try await browser.authorize(["prompt": "none"]).reply["error"] == "login_required")
    }
}
