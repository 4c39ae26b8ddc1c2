import AuthorityStore
import FlowModel
import Foundation
import HTTPTypes
import OAuth
import Policies
import TestSupport
import Testing
import Tokens

@Suite(.timeLimit(.minutes(2)))
struct FlowPageTests {
    @Test("a user signs up and signs in, and the client gets a code with state and iss") func signIn() async throws {
        let scene = try BrowserScene()
        var browser = TestBrowser(scene)
        try await browser.authorize()
        let made = try await browser.signUp()
        #expect(made.status == 200 && made.location.hasPrefix("https://tasks.example/cb?code="))
        var second = TestBrowser(scene)
        try await second.authorize(["client_id": "tasks-cli"])
        let answer = try await second.signIn()
        #expect(answer.status == 200 && answer.reply["code"]?.utf8.count == 43)
        #expect(answer.reply["state"] == "st 1" && answer.reply["code"] != made.reply["code"])
        #expect(answer.reply["iss"] == "http://localhost:8420/local/b2c_1_sign_up_or_in/v2.0")
    }

    @Test("the flow continues after a restart and at a second daemon with the same database") func elsewhere()
        async throws
    {
        let scene = try BrowserScene()
        var browser = TestBrowser(scene)
        try await browser.authorize()
        _ = try await browser.signUp()
        try await browser.authorize()
        var other = TestBrowser(try scene.secondDaemon())
        (other.cookies, other.place) = (browser.cookies, browser.place)
        #expect(try await other.signIn().reply["code"] != nil)
    }

    @Test("a final answer that is sent twice gets the same code twice, and a different one is too late")
    func doubleClick() async throws {
        let scene = try BrowserScene()
        var browser = TestBrowser(scene)
        try await browser.authorize()
        _ = try await browser.signUp()
        try await browser.authorize()
        let page = try await browser.page()
        let answers = ["username": BrowserScene.email, "password": BrowserScene.password]
        let first = try await browser.post(answers, from: page)
        let again = try await browser.post(answers, from: page)
        #expect(first.location == again.location && first.reply["code"] != nil)
        let late = try await browser.post(answers.merging(["_submission": "another"]) { $1 }, from: page)
        #expect(late.status == 410 && late.headers[.location] == nil)
        #expect(try await browser.page().status == 410)
    }

    @Test("the back button does no harm: an answer to an earlier step leads to the current one") func back()
        async throws
    {
        let scene = try BrowserScene()
        var browser = TestBrowser(scene)
        try await browser.authorize()
        let old = try await browser.page()
        _ = try await browser.post(["_action": "create"])
        let answer = try await browser.post(["username": "x@example.org", "password": "y"], from: old)
        #expect(answer.status == 303 && answer.location == browser.place)
        #expect(try await browser.page().text.contains("name=\"displayName\""))
    }

    @Test("the page of a code has a script that the content security policy of every page allows") func code()
        async throws
    {
        let scene = try BrowserScene()
        var browser = TestBrowser(scene)
        try await browser.authorize()
        let policy = try await browser.page().headers[.contentSecurityPolicy]
        _ = try await browser.post(["_action": "create"])
        let answers = ["email": BrowserScene.email, "displayName": "Ada", "password": BrowserScene.password]
        _ = try await browser.post(answers)
        let page = try await browser.page()
        #expect(page.headers[.contentSecurityPolicy] == policy && policy?.contains("script-src 'self';") == true)
        let scripts = page.text.matches(of: /<script src="([^"]+)" defer><\/script>/).map { String($0.1) }
        #expect(scripts.count == 1 && page.text.matches(of: /<script/).count == 1)
        let script = try await scene.send(.get, try #require(scripts.first))
        #expect(script.status == 200 && script.headers[.contentType] == "text/javascript; charset=utf-8")
        #expect(script.text.contains("requestSubmit"))
        // The form also works without the script.
        #expect(try await browser.post(["code": try await scene.mailedCode()]).reply["code"] != nil)
    }

    @Test("problems are shown on the page with the user's input, but without secrets") func kept() async throws {
        let scene = try BrowserScene()
        var browser = TestBrowser(scene)
        try await browser.authorize()
        _ = try await browser.post(["_action": "create"])
        let answer = try await browser.post(["email": "<ada>@example.org", "displayName": "Ada L", "password": "weak"])
        #expect(answer.status == 422 && answer.text.contains("value=\"Ada L\"") && !answer.text.contains("weak\""))
        #expect(answer.text.contains("&lt;ada&gt;@example.org") && answer.text.contains("aria-invalid"))
    }

    @Test("a wrong password and an unknown name look the same") func enumeration() async throws {
        let scene = try BrowserScene()
        var browser = TestBrowser(scene)
        try await browser.authorize()
        _ = try await browser.signUp()
        var texts: [String] = []
        for name in [BrowserScene.email, "bob@example.org"] {
            try await browser.authorize(["prompt": "login"])
            #expect(try await browser.signIn(name, "Wrong-horse-7").status == 303)
            texts.append(try await browser.page().words(browser).replacing(name, with: "NAME"))
        }
        #expect(texts[0] == texts[1] && texts[0].contains("NAME"))
    }

    @Test("a wrong password at a re-authentication leaves the user signed in") func keptSession()
        async throws
    {
        let scene = try BrowserScene(base: "https://login.example")
        var browser = TestBrowser(scene)
        try await browser.authorize()
        _ = try await browser.signUp()
        try await browser.authorize(["prompt": "login"])
        #expect(try await browser.signIn(BrowserScene.email, "Wrong-horse-7").location == browser.place)
        #expect(try await browser.authorize(["prompt": "none"]).reply["code"] != nil)
    }

    @Test("three wrong answers from one address block it in every session") func blocked() async throws {
        let scene = try BrowserScene()
        var browser = TestBrowser(scene)
        try await browser.authorize()
        _ = try await browser.signUp()
        for guess in ["Wrong-horse-5", "Wrong-horse-6", "Wrong-horse-6"] {
            var other = TestBrowser(scene)
            try await other.authorize()
            #expect(try await other.signIn(BrowserScene.email, guess).status == 303)
        }
        var last = TestBrowser(scene)
        try await last.authorize()
        let answer = try await last.signIn(BrowserScene.email, "Wrong-horse-7")
        #expect(answer.status == 429 && answer.headers[.retryAfter] != nil)
        // The page redirects to the client with this error number.
        #expect(answer.text.contains("AADB2C90114"))
        var right = TestBrowser(scene)
        try await right.authorize()
        #expect(try await right.signIn().status == 429)
    }

    @Test("while a name is blocked, a page looks the same for a right answer, a wrong one and an unknown name")
    func blockedAlike() async throws {
        let scene = try BrowserScene()
        var browser = TestBrowser(scene)
        try await browser.authorize()
        _ = try await browser.signUp()
        let nobody = "bob@example.org"
        for name in [BrowserScene.email, nobody] {
            for number in 1...3 {
                var other = TestBrowser(scene)
                try await other.authorize()
                _ = try await other.signIn(name, "Wrong-horse-\(number)")
            }
        }
        var texts: [String] = []
        for (name, password) in [
            (BrowserScene.email, BrowserScene.password), (BrowserScene.email, "Wrong-horse-8"),
            (nobody, "Wrong-horse-8"),
        ] {
            var other = TestBrowser(scene)
            try await other.authorize()
            let answer = try await other.signIn(name, password)
            #expect(answer.status == 429, "\(name)")
            texts.append(answer.words(other).replacing(name, with: "NAME"))
        }
        // All responses show the same form again, and do not redirect to the client with an error.
        #expect(Set(texts).count == 1, "\(texts)")
        #expect(texts[0].contains("Try again in 10 s.") && texts[0].contains("0 attempts left"), "\(texts[0])")
        #expect(texts[0].contains("value=\"NAME\"") && !texts[0].contains("AADB2C"), "\(texts[0])")
    }

    @Test("a user that cancels returns to the client with AADB2C90091") func cancelled() async throws {
        var browser = TestBrowser(try BrowserScene())
        try await browser.authorize()
        let page = try await browser.page()
        for _ in 0..<2 {
            let answer = try await browser.post(["_action": "cancel"], from: page)
            #expect(answer.reply["error"] == "access_denied" && answer.reply["state"] == "st 1")
            #expect(answer.reply["error_description"]?.hasPrefix("AADB2C90091: ") == true)
        }
    }

    @Test("a user that forgot the password resets it on the same pages and continues to the client, signed in")
    func reset() async throws {
        let scene = try BrowserScene()
        var browser = TestBrowser(scene)
        try await browser.authorize()
        _ = try await browser.signUp()
        try await browser.authorize()
        #expect(try await browser.page().text.contains("value=\"forgot\""))
        #expect(try await browser.post(["_action": "forgot"]).location == browser.place)
        #expect(try await browser.page().text.contains("Forgot your password?"))
        #expect(try await browser.post(["username": BrowserScene.email]).status == 303)
        #expect(try await browser.post(["code": try await scene.mailedCode()]).status == 303)
        let page = try await browser.page()
        #expect(page.text.contains("Choose a new password") && page.text.contains("new-password"))
        let same = try await browser.post(["newPassword": BrowserScene.password])
        #expect(same.status == 422 && same.text.contains("This is your current password."))
        let answer = try await browser.post(["newPassword": "Another-horse-8"])
        let code = try #require(answer.reply["code"])
        #expect(try await scene.redeem(code)["access_token"] != nil)
        var old = TestBrowser(scene)
        try await old.authorize()
        #expect(try await old.signIn().location == old.place)
        #expect(try await old.signIn(BrowserScene.email, "Another-horse-8").reply["code"] != nil)
    }

    @Test("the Enter key right after a code that was submitted at its last digit causes no error on the next page")
    func enterAfterCode() async throws {
        let scene = try BrowserScene()
        var browser = TestBrowser(scene)
        try await browser.authorize()
        _ = try await browser.signUp()
        try await browser.authorize()
        _ = try await browser.post(["_action": "forgot"])
        _ = try await browser.post(["username": BrowserScene.email])
        let sent = try await browser.post(["code": try await scene.mailedCode(), "_atOnce": "true"])
        #expect(sent.status == 303)
        let cookie = try #require(sent.headers[values: .setCookie].first { $0.hasPrefix("at-once=") })
        #expect(cookie.contains("Max-Age=2;") || cookie.hasSuffix("Max-Age=2"), "\(cookie)")
        let page = try await browser.page()
        let enter = try await browser.post(["newPassword": ""], from: page)
        #expect(enter.status == 303 && enter.location == browser.place)
        // The step is still the same, and the empty answer was not counted.
        #expect(try await browser.page().hidden["_step"] == page.hidden["_step"])
        #expect(try await browser.post(["newPassword": "short"]).status == 422)
        browser.cookies["at-once"] = nil
        #expect(try await browser.post(["newPassword": ""]).status == 422)
        #expect(try await browser.post(["newPassword": "Another-horse-8"]).reply["code"] != nil)
    }

    @Test("a sign-up policy and a password reset policy lead from a request to their own tokens")
    func otherKinds() async throws {
        let scene = try BrowserScene()
        let (signUp, reset) = ("b2c_1_sign_up", "b2c_1_password_reset")
        var browser = TestBrowser(scene)
        try await browser.authorize(path: "/local/\(signUp)/oauth2/v2.0/authorize")
        let answers = ["email": BrowserScene.email, "displayName": "Ada", "password": BrowserScene.password]
        #expect(try await browser.post(answers).status == 303)
        let made = try await browser.post(["code": try await scene.mailedCode()])
        try await expectTokens(scene, made, of: signUp)

        try await browser.authorize(path: "/local/\(reset)/oauth2/v2.0/authorize")
        #expect(try await browser.post(["username": BrowserScene.email]).status == 303)
        #expect(try await browser.post(["code": try await scene.mailedCode()]).status == 303)
        try await expectTokens(scene, try await browser.post(["newPassword": "Another-horse-8"]), of: reset)
        var later = TestBrowser(scene)
        try await later.authorize()
        #expect(try await later.signIn(BrowserScene.email, "Another-horse-8").reply["code"] != nil)
    }

    private func expectTokens(_ scene: BrowserScene, _ answer: BrowserScene.Answer, of policy: String) async throws {
        let code = try #require(answer.reply["code"], "\(policy)")
        #expect(answer.reply["iss"] == "\(scene.base)/local/\(policy)/v2.0" && answer.reply["state"] == "st 1")
        let tokens = try await scene.redeem(code, policy: policy)
        let claims = try UnverifiedJWT(try #require(tokens["id_token"]?.string)).unverifiedClaims()
        #expect(claims["tfp"]?.string == policy && claims["email"]?.string == BrowserScene.email)
        #expect(tokens["access_token"]?.string != nil)
    }

    @Test("a password as old as `password.expireAfterDays` is changed during the sign-in, which then continues")
    func expired() async throws {
        let name = BrowserScene.policy
        let files = ShippedPolicies.files.map { file in
            guard file.path.hasSuffix("/\(name).yaml") else { return file }
            let text = file.text.replacing("{strength: strong}", with: "{strength: strong, expireAfterDays: 30}")
            return PolicyCatalogue.File(path: file.path, text: text)
        }
        let loaded = PolicyCatalogue.load(files: files).0
        let id = try PolicyID(name)
        let scene = try BrowserScene(policies: [try #require(loaded?[id])])
        var browser = TestBrowser(scene)
        try await browser.authorize()
        _ = try await browser.signUp()
        scene.clock.advance(by: .seconds(29 * 86_400))
        var early = TestBrowser(scene)
        try await early.authorize()
        #expect(try await early.signIn().reply["code"] != nil)
        scene.clock.advance(by: .seconds(2 * 86_400))
        var late = TestBrowser(scene)
        try await late.authorize()
        #expect(try await late.signIn().location == late.place)
        let page = try await late.page()
        #expect(page.text.contains("Your password has expired.") && page.text.contains("Choose a new password"))
        #expect(page.text.contains("name=\"newPassword\"") && page.text.contains("new-password"))
        let same = try await late.post(["newPassword": BrowserScene.password], from: page)
        #expect(same.status == 422 && same.text.contains("This is your current password."))
        let code = try #require(try await late.post(["newPassword": "Another-horse-8"]).reply["code"])
        #expect(try await scene.redeem(code)["access_token"] != nil)
        var last = TestBrowser(scene)
        try await last.authorize()
        #expect(try await last.signIn().location == last.place)
        #expect(try await last.signIn(BrowserScene.email, "Another-horse-8").reply["code"] != nil)
    }

    @Test("a policy that changes something always prompts, even in a signed-in browser", arguments: [true, false])
    func asksAlways(_ edits: Bool) async throws {
        let scene = try BrowserScene(base: "https://login.example")
        var browser = TestBrowser(scene)
        try await browser.authorize()
        _ = try await browser.signUp()
        #expect(try await browser.authorize().reply["code"] != nil)
        let policy = edits ? "b2c_1_edit_profile" : "b2c_1_password_reset"
        try await browser.authorize(path: "/local/\(policy)/oauth2/v2.0/authorize")
        #expect(browser.place.hasPrefix("/local/flow/"))
        let page = try await browser.page()
        #expect(page.text.contains(edits ? "Edit your profile" : "Forgot your password?"))
        guard edits else { return }
        #expect(page.text.contains("value=\"Ada\""))
        #expect(try await browser.post(["displayName": "Ada King"]).reply["code"] != nil)
        #expect(try await scene.store.users.find(signInName: BrowserScene.email)?.displayName == "Ada King")
    }

    @Test("without a policy that resets passwords the client gets AADB2C90118 for a forgotten password")
    func forgotten() async throws {
        let scene = try BrowserScene(without: .passwordReset)
        var browser = TestBrowser(scene)
        try await browser.authorize()
        let page = try await browser.page()
        #expect(page.text.contains("value=\"forgot\""))
        for _ in 0..<2 {
            let answer = try await browser.post(["_action": "forgot"], from: page)
            #expect(answer.reply["error"] == "access_denied" && answer.reply["state"] == "st 1")
            #expect(answer.reply["error_description"]?.hasPrefix("AADB2C90118: ") == true)
        }
    }

    @Test("only the step with a password offers a reset") func notForgotten() async throws {
        let scene = try BrowserScene()
        var browser = TestBrowser(scene)
        try await browser.authorize()
        _ = try await browser.post(["_action": "create"])
        let page = try await browser.page()
        #expect(!page.text.contains("value=\"forgot\""))
        #expect(try await browser.post(["_action": "forgot"], from: page).location == browser.place)
        #expect(try await browser.page().status == 200)
    }

    @Test("a third-party client gets consent once, and again when its scopes grow") func consent()
        async throws
    {
        let scene = try BrowserScene()
        let web = ["client_id": "web1", "redirect_uri": "https://web.example/cb"]
        var browser = TestBrowser(scene)
        try await browser.authorize(web)
        #expect(try await browser.signUp().location == browser.place)
        let page = try await browser.page()
        #expect(page.text.contains("Web One") && page.text.contains("Read your tasks"))
        #expect(try await browser.post(["allow": "true"]).location.hasPrefix("https://web.example/cb?code="))
        try await browser.authorize(web)
        #expect(try await browser.signIn().location.hasPrefix("https://web.example/cb?code="))
        try await browser.authorize(web.merging(["scope": "tasks.read tasks.write"]) { $1 })
        #expect(try await browser.signIn().location == browser.place)
        let refused = try await browser.post(["allow": "false"])
        #expect(refused.reply["error"] == "access_denied" && refused.location.hasPrefix("https://web.example/cb?"))
        try await browser.authorize(web.merging(["prompt": "consent"]) { $1 })
        #expect(try await browser.signIn().location == browser.place)
    }

    @Test(
        "after a form, a page with Refresh and a link leads to the client; the answer to a GET is a redirect",
        arguments: ["query", "fragment"],
        ["https://web.example/cb", "com.example.app:/back"]
    )
    func onwardByPage(_ mode: String, _ uri: String) async throws {
        var browser = TestBrowser(try BrowserScene(base: "https://login.example"))
        let request: [String: String?] = ["client_id": "web1", "redirect_uri": uri, "response_mode": mode]
        try await browser.authorize(request)
        _ = try await browser.signUp()
        let done = try await browser.post(["allow": "true"])
        let address = done.location
        #expect(address.hasPrefix(uri + (mode == "query" ? "?" : "#") + "code="), "\(address)")
        let (refresh, referrer) = (HTTPField.Name("Refresh"), HTTPField.Name("Referrer-Policy"))
        #expect(done.status == 200 && done.headers[.location] == nil)
        #expect(done.headers[try #require(refresh)] == "0; url=\(address)")
        let escaped = address.replacing("&", with: "&amp;")
        #expect(done.text.contains("href=\"\(escaped)\"") && done.text.contains(">Continue to Web One</a>"))
        #expect(done.headers[.cacheControl] == "no-store")
        #expect(done.headers[try #require(referrer)] == "no-referrer")
        #expect(!done.text.contains("<form") && !done.text.contains("<script"))
        let silent = try await browser.authorize(request.merging(["prompt": "none"]) { $1 })
        #expect(silent.status == 303 && silent.headers[.location]?.hasPrefix(uri) == true)
    }

    // MARK: Hostile input

    @Test("a form without the page's token, or with another step's, is rejected") func csrf() async throws {
        let scene = try BrowserScene()
        var browser = TestBrowser(scene)
        try await browser.authorize()
        let page = try await browser.page()
        for token in ["", "x", String(repeating: "A", count: 43)] {
            let answer = try await browser.post(["_csrf": token, "_action": "cancel"], from: page)
            #expect(answer.status == 403 && answer.headers[.location] == nil)
        }
        var other = TestBrowser(scene)
        try await other.authorize()
        let token = try await other.page().hidden["_csrf"] ?? ""
        #expect(try await browser.post(["_csrf": token, "_action": "cancel"], from: page).status == 403)
        #expect(try await browser.page().status == 200)
    }

    @Test("a form sent by another site is rejected, whatever it contains", arguments: ["cross-site", "same-site"])
    func crossSite(_ site: String) async throws {
        var browser = TestBrowser(try BrowserScene())
        try await browser.authorize()
        let name = try #require(HTTPField.Name("Sec-Fetch-Site"))
        let answer = try await browser.post(["_action": "cancel"], headers: [name: site])
        #expect(answer.status == 403)
        #expect(try await browser.post(["_action": "cancel"], headers: [name: "same-origin"]).status == 200)
    }

    @Test("the link of a flow opens in no other browser") func otherBrowser() async throws {
        let scene = try BrowserScene()
        var browser = TestBrowser(scene)
        try await browser.authorize()
        var other = TestBrowser(scene)
        other.place = browser.place
        #expect(try await other.page().status == 404)
        try await other.authorize()
        other.place = browser.place
        #expect(try await other.page().status == 404)
        #expect(try await other.post(["_action": "cancel"], from: try await browser.page()).status == 404)
    }

    @Test("a cookie that a service at another port has set next to the authority's does no harm") func otherPort()
        async throws
    {
        let scene = try BrowserScene()
        var browser = TestBrowser(scene)
        try await browser.authorize()
        let cookies = "flow=planted; flow=\(browser.cookies["flow"] ?? "")"
        #expect(try await scene.send(.get, browser.place, cookies: cookies).status == 200)
        #expect(try await scene.send(.get, browser.place, cookies: "flow=planted").status == 404)
    }

    @Test("pages are not cached, not framed, and load nothing from other sites") func headers() async throws {
        var browser = TestBrowser(try BrowserScene())
        try await browser.authorize()
        let page = try await browser.page()
        #expect(page.headers[.cacheControl] == "no-store")
        let policy = try #require(page.headers[.contentSecurityPolicy])
        #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
        #expect(!policy.contains("unsafe") && policy.contains("form-action 'self';"))
        #expect(!page.text.contains("http://") && !page.text.contains("https://") && !page.text.contains("style="))
        let assets = page.text.matches(of: /(?:href|src)="(\/assets\/[^"]+)"/)
        #expect(!assets.isEmpty)
        for asset in assets {
            let file = try await browser.scene.send(.get, String(asset.1))
            #expect(file.status == 200 && file.headers[.cacheControl]?.contains("immutable") == true)
        }
    }
}
