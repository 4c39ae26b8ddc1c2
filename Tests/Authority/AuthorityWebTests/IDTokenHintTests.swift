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

/// A client can send an ID token back to name the user (OpenID Connect Core §3.1.2.1, RP-Initiated Logout §2).
@Suite(.timeLimit(.minutes(2)))
struct IDTokenHintTests {
    private static let base = "https://login.example"
    private static let logout = "/local/\(BrowserScene.policy)/oauth2/v2.0/logout"
    private static let web = ["client_id": "web1", "redirect_uri": "https://web.example/cb"]

    /// Signs up a user through the client `web1`, and returns the browser and the tokens.
    private func signedIn(
        _ scene: BrowserScene,
        _ email: String = BrowserScene.email
    ) async throws -> (TestBrowser, JSONValue) {
        var browser = TestBrowser(scene)
        try await browser.authorize(Self.web)
        #expect(try await browser.signUp(email).location == browser.place)
        let answer = try await browser.post(["allow": "true"])
        let code = try #require(answer.reply["code"])
        return (browser, try await scene.redeem(code, client: "web1", redirectURI: "https://web.example/cb"))
    }

    private func signOut(
        _ browser: inout TestBrowser,
        _ hint: String?,
        _ more: [String: String] = [:]
    ) async throws -> BrowserScene.Answer {
        let pairs = more.map { (name: $0.key, value: $0.value) } + (hint.map { [("id_token_hint", $0)] } ?? [])
        return try await browser.send(.get, Self.logout + "?" + Form.encoded(pairs))
    }

    private func isSignedIn(_ browser: inout TestBrowser) async throws -> Bool {
        try await browser.authorize(["prompt": "none"]).reply["code"] != nil
    }

    @Test("a hint that names the user signs out without a prompt, and redirects to the client's registered address")
    func right() async throws {
        let scene = try BrowserScene(base: Self.base)
        var (browser, tokens) = try await signedIn(scene)
        let hint = try #require(tokens["id_token"]?.string)
        let out = ["post_logout_redirect_uri": "https://web.example/out", "state": "s"]
        let answer = try await signOut(&browser, hint, out)
        #expect(answer.status == 303 && answer.location == "https://web.example/out?state=s")
        #expect(browser.cookies["__Host-session"] == nil)
        #expect(try await !isSignedIn(&browser))
    }

    @Test("RP-Initiated Logout §4: an expired hint still identifies the user") func ended() async throws {
        let scene = try BrowserScene(base: Self.base)
        var (browser, tokens) = try await signedIn(scene)
        scene.clock.advance(by: .seconds(7200))
        #expect(try await isSignedIn(&browser))
        let answer = try await signOut(&browser, try #require(tokens["id_token"]?.string))
        #expect(answer.status == 200 && answer.hidden["_csrf"] == nil)
        #expect(try await !isSignedIn(&browser))
    }

    @Test("RP-Initiated Logout §2: a hint that names another user leads to a prompt") func somebodyElse()
        async throws
    {
        let scene = try BrowserScene(base: Self.base)
        var (browser, _) = try await signedIn(scene)
        let (_, others) = try await signedIn(scene, "bob@example.org")
        let question = try await signOut(&browser, try #require(others["id_token"]?.string))
        #expect(question.status == 200 && question.hidden["_csrf"] != nil)
        #expect(try await isSignedIn(&browser))
    }

    @Test("a token of another authority, an access token and a modified token are not valid hints") func foreign()
        async throws
    {
        let scene = try BrowserScene(base: Self.base)
        var (browser, tokens) = try await signedIn(scene)
        let (_, others) = try await signedIn(try BrowserScene(base: Self.base))
        let (_, elsewhere) = try await signedIn(try BrowserScene(base: "https://other.example"))
        let own = try #require(tokens["id_token"]?.string)
        let hints = [
            try #require(others["id_token"]?.string), try #require(elsewhere["id_token"]?.string),
            try #require(tokens["access_token"]?.string), own + "A", String(own.dropLast(8)) + "AAAAAAAA",
        ]
        for hint in hints {
            let refused = try await signOut(&browser, hint)
            #expect(refused.status == 400 && refused.text.contains("AADB2C90232"))
            let error = try await browser.authorize(Self.web.merging(["id_token_hint": hint]) { $1 })
            #expect(error.reply["error"] == "invalid_request")
        }
        #expect(try await isSignedIn(&browser))
    }

    @Test("a hint for one client is not valid for another") func otherClient() async throws {
        let scene = try BrowserScene(base: Self.base)
        var (browser, tokens) = try await signedIn(scene)
        let hint = try #require(tokens["id_token"]?.string)
        let refused = try await signOut(&browser, hint, ["client_id": "tasks-cli"])
        #expect(refused.status == 400 && refused.text.contains("AADB2C90232"))
        #expect(try await browser.authorize(["id_token_hint": hint]).reply["error"] == "invalid_request")
        #expect(try await isSignedIn(&browser))
    }

    @Test("OIDC Core §3.1.2.1: with a hint only the user that it names gets a code") func authorize() async throws {
        let scene = try BrowserScene(base: Self.base)
        var (browser, tokens) = try await signedIn(scene)
        let (_, others) = try await signedIn(scene, "bob@example.org")
        let own = try #require(tokens["id_token"]?.string)
        let silent = Self.web.merging(["prompt": "none"]) { $1 }
        scene.clock.advance(by: .seconds(7200))
        let right = try await browser.authorize(silent.merging(["id_token_hint": own]) { $1 })
        #expect(right.reply["code"] != nil)
        let bob = try #require(others["id_token"]?.string)
        let wrong = try await browser.authorize(silent.merging(["id_token_hint": bob]) { $1 })
        #expect(wrong.reply["error"] == "login_required")
        let asked = try await browser.authorize(Self.web.merging(["id_token_hint": bob]) { $1 })
        #expect(asked.location.hasPrefix("/local/flow/"))
    }

    @Test("OIDC Core §5.5.1: only the user that claims names by the ID token's sub gets a code")
    func subject() async throws {
        let scene = try BrowserScene(base: Self.base)
        var (browser, tokens) = try await signedIn(scene)
        let (_, others) = try await signedIn(scene, "bob@example.org")
        let own = try #require(tokens["id_token"]?.string)
        let ada = try subject(of: tokens)
        let bob = try subject(of: others)
        let silent = Self.web.merging(["prompt": "none"]) { $1 }
        func ask(_ claims: String, _ more: [String: String] = [:]) async throws -> BrowserScene.Answer {
            try await browser.authorize(silent.merging(more) { $1 }.merging(["claims": claims]) { $1 })
        }
        for claims in [#"{"value":"\#(ada)"}"#, #"{"values":["\#(ada)"],"essential":true}"#, "null", "{}"] {
            let right = try await ask(#"{"id_token":{"sub":\#(claims)}}"#)
            #expect(right.reply["code"] != nil, "\(claims)")
        }
        let named = #"{"id_token":{"sub":{"value":"\#(bob)"}}}"#
        #expect(try await ask(named).reply["error"] == "login_required")
        #expect(try await ask(named, ["id_token_hint": own]).reply["error"] == "invalid_request")
        for claims in [#"{"value":7}"#, #"{"values":["\#(ada)","\#(bob)"]}"#, #"{"values":[]}"#] {
            let wrong = try await ask(#"{"id_token":{"sub":\#(claims)}}"#)
            #expect(wrong.reply["error"] == "invalid_request", "\(claims)")
        }
        // The user that signs in is not the user that the claims name.
        try await browser.authorize(Self.web.merging(["claims": named]) { $1 })
        #expect(try await browser.signIn().reply["code"] == nil)
    }

    private func subject(of tokens: JSONValue) throws -> String {
        let token = try #require(tokens["id_token"]?.string)
        let claims = try UnverifiedJWT(token).unverifiedClaims()
        return try #require(claims["sub"]?.string)
    }
}
