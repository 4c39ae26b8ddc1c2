import Authority
import AuthorityStore
import FlowModel
import Flows
import HTTPTypes
import OAuth
import Policies
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct AccountTests {
    private static let secure = "https://login.example"
    private static let path = "/local/account"

    /// Signs up at the account page, and returns the browser and the address of the page.
    private func visiting(_ scene: BrowserScene) async throws -> (TestBrowser, String) {
        var browser = TestBrowser(scene)
        browser.place = try await browser.send(.get, Self.path).location
        #expect(browser.place.hasPrefix("/local/flow/"))
        let done = try await browser.signUp()
        #expect(done.status == 303 && done.location.hasPrefix(Self.path))
        return (browser, done.location)
    }

    /// Returns the values of all buttons named `field` on a page.
    private func words(_ field: String, _ page: BrowserScene.Answer) -> [String] {
        let buttons = page.text.matches(of: /<button class="link" name="([^"]+)" value="([^"]*)"/)
        return buttons.filter { $0.1 == field }.map { String($0.2) }
    }

    /// Requests a code for the client `web1`, and consents to all requested scopes.
    private func consent(_ browser: inout TestBrowser) async throws {
        let request: [String: String?] = [
            "client_id": "web1", "redirect_uri": "https://web.example/cb",
            "scope": "openid profile email tasks.read offline_access",
        ]
        let begun = try await browser.authorize(request)
        #expect(begun.location.hasPrefix("/local/flow/"))
        let asked = try await browser.page()
        for words in ["Keep access while you are not using the app", "Read your profile", "Read your e-mail address"] {
            #expect(asked.text.contains(words), "\(words)")
        }
        let german = try await browser.send(.get, "\(browser.place)?ui_locales=de")
        for words in ["Zugriff behalten, auch wenn Sie nicht da sind", "Ihr Profil lesen", "Ihre E-Mail-Adresse lesen"]
        {
            #expect(german.text.contains(words), "\(words)")
        }
        #expect(try await browser.post(["allow": "true"]).reply["code"] != nil)
    }

    @Test("over http the page requires a sign-in at each visit, and no other browser sees it") func visits()
        async throws
    {
        let scene = try BrowserScene()
        var (browser, place) = try await visiting(scene)
        let page = try await browser.send(.get, place)
        #expect(page.status == 200 && page.text.contains(BrowserScene.email))
        #expect(page.headers[.cacheControl]?.contains("no-store") == true)
        #expect(try await browser.send(.get, Self.path).location.hasPrefix("/local/flow/"))
        var other = TestBrowser(scene)
        #expect(try await other.send(.get, place).location.hasPrefix("/local/flow/"))
        scene.clock.advance(by: .seconds(301))
        #expect(try await browser.send(.get, place).location.hasPrefix("/local/flow/"))
    }

    @Test(
        "a link from another page cannot show a notice about a change",
        arguments: ["cross-site", "same-site", "same-origin", "none"]
    )
    func linkedNotice(_ site: String) async throws {
        var (browser, place) = try await visiting(try BrowserScene(base: Self.secure))
        let headers: HTTPFields = [try #require(HTTPField.Name("Sec-Fetch-Site")): site]
        for (word, sentence) in [
            ("passwordChanged", "The password is changed"), ("linked", "The account is linked"),
            ("consentEnded", "The consent is withdrawn"),
        ] {
            let page = try await browser.send(.get, "\(place)?changed=\(word)", headers: headers)
            #expect(page.status == 200 && page.text.contains(BrowserScene.email))
            let isOwn = ["same-origin", "none"].contains(site)
            #expect(page.text.contains("role=\"status\"") == isOwn, "\(word) \(sentence)")
        }
    }

    @Test(
        "the page and the sign-in before it stay in the chosen language",
        arguments: ["http://localhost:8420", secure]
    )
    func language(_ base: String) async throws {
        let scene = try BrowserScene(base: base)
        var browser = TestBrowser(scene)
        browser.place = try await browser.send(.get, "\(Self.path)?ui_locales=de").location
        #expect(browser.place.hasSuffix("?ui_locales=de"))
        let done = try await browser.signUp()
        #expect(done.status == 303 && done.location.hasSuffix("ui_locales=de"), "\(done.location)")
        let page = try await browser.send(.get, done.location)
        #expect(page.text.contains("<html lang=\"de\"") && page.text.contains("Apps mit Zugriff"))
        let out = page.hidden.merging(["_signOut": "here"]) { $1 }
        let left = try await browser.send(.post, done.location, form: out)
        let notice = try await browser.send(.get, left.location)
        #expect(notice.text.contains("href=\"\(Self.path)?ui_locales=de\""), "\(notice.text)")
    }

    @Test("the base redirects a browser to the account page and returns 404 to a program") func base()
        async throws
    {
        let scene = try BrowserScene()
        let english = try await scene.send(.get, "/", headers: [.accept: "text/html,*/*;q=0.8"])
        #expect(english.status == 404 && english.text.contains("Page not found"))
        #expect(english.text.contains("href=\"\(Self.path)\">Go to your account</a>"), "\(english.text)")
        let german = try await scene.send(.get, "/?ui_locales=de", headers: [.accept: "text/html"])
        #expect(german.text.contains("href=\"\(Self.path)?ui_locales=de\">Zu Ihrem Konto</a>"), "\(german.text)")
        for headers: HTTPFields in [[:], [.accept: "*/*"], [.accept: "application/json"]] {
            let program = try await scene.send(.get, "/", headers: headers)
            #expect(program.status == 404 && program.text.contains(#""error":"not_found""#), "\(program.text)")
        }
    }

    @Test("over https a signed-in user sees the page, and changes require authentication within the last five minutes")
    func recent()
        async throws
    {
        let scene = try BrowserScene(base: Self.secure)
        var (browser, place) = try await visiting(scene)
        #expect(place == Self.path)
        let page = try await browser.send(.get, place)
        #expect(page.status == 200 && page.text.contains("this one"))
        scene.clock.advance(by: .seconds(301))
        #expect(try await browser.send(.get, place).status == 200)
        for link in ["_link", "_unlink"] {
            let old = try await browser.send(.post, place, form: page.hidden.merging([link: "partner"]) { $1 })
            #expect(old.status == 303 && old.location.hasPrefix("/local/flow/"), "\(link)")
        }
        let change = page.hidden.merging(["_signOut": "everywhere"]) { $1 }
        let again = try await browser.send(.post, place, form: change)
        #expect(again.status == 303 && again.location.hasPrefix("/local/flow/"))
        browser.place = again.location
        #expect(try await browser.signIn().location == Self.path)
        let fresh = try await browser.send(.get, place)
        let done = try await browser.send(
            .post,
            place,
            form: fresh.hidden.merging(["_signOut": "everywhere"]) { $1 }
        )
        let told = try await browser.notice(after: done)
        #expect(told.text.contains("You are signed out") && told.text.contains("href=\"/local/account\""))
        #expect(try await browser.send(.get, place).location.hasPrefix("/local/flow/"))
    }

    @Test("a button signs the user's other browser out, and this one stays signed in") func endsSession() async throws {
        let scene = try BrowserScene(base: Self.secure)
        var (first, place) = try await visiting(scene)
        var second = TestBrowser(scene)
        second.place = try await second.send(.get, Self.path).location
        #expect(try await second.signIn().location == Self.path)
        let page = try await second.send(.get, place)
        let sessions = words("_endSession", page)
        #expect(sessions.count == 1)
        let change = page.hidden.merging(["_endSession": try #require(sessions.first)]) { $1 }
        let done = try await second.send(.post, place, form: change)
        #expect(done.status == 303 && done.location == "\(Self.path)?changed=sessionEnded")
        #expect(try await second.send(.get, done.location).text.contains("That browser is signed out."))
        #expect(try await first.send(.get, place).location.hasPrefix("/local/flow/"))
        #expect(try await second.send(.get, place).status == 200)
    }

    @Test("a consent is listed in words, and the client must request it again after it is revoked") func consents()
        async throws
    {
        let scene = try BrowserScene(base: Self.secure)
        var (browser, place) = try await visiting(scene)
        try await consent(&browser)
        let page = try await browser.send(.get, place)
        #expect(
            page.text.contains("Web One") && page.text.contains(" · Keep access while you are not using the app · ")
        )
        for words in ["Read your e-mail address", "Read your profile", "Read your tasks"] {
            #expect(page.text.contains(words), "\(words)")
        }
        #expect(words("_endConsent", page) == ["web1"])
        let change = page.hidden.merging(["_endConsent": "web1"]) { $1 }
        let done = try await browser.send(.post, place, form: change)
        #expect(done.location == "\(Self.path)?changed=consentEnded")
        #expect(words("_endConsent", try await browser.send(.get, place)) == [])
        try await consent(&browser)
    }

    @Test("consent to openid does not cover a request without scope, whose consent names the API") func wholeAPI()
        async throws
    {
        let scene = try BrowserScene(base: Self.secure)
        var (browser, place) = try await visiting(scene)
        func request(_ changes: [String: String?]) -> [String: String?] {
            ["client_id": "web1", "redirect_uri": "https://web.example/cb"].merging(changes) { $1 }
        }
        try await browser.authorize(request(["scope": "openid"]))
        #expect(try await browser.post(["allow": "true"]).reply["code"] != nil)
        let same = try await browser.authorize(request(["scope": "openid", "prompt": "none"]))
        #expect(same.reply["code"] != nil)
        let silent = request(["scope": nil, "prompt": "none"])
        #expect(try await browser.authorize(silent).reply["error"] == "consent_required")
        try await browser.authorize(request(["scope": nil]))
        #expect(try await browser.page().text.contains("Access the API tasks"))
        let german = try await browser.send(.get, "\(browser.place)?ui_locales=de")
        #expect(german.text.contains("Auf die API tasks zugreifen"))
        #expect(try await browser.post(["allow": "true"]).reply["code"] != nil)
        #expect(try await browser.authorize(silent).reply["code"] != nil)
        #expect(try await browser.send(.get, place).text.contains("Access the API tasks"))
    }

    @Test("a terminal with a session is listed by its uid, and its button signs it out") func devices()
        async throws
    {
        let scene = try BrowserScene()
        var (browser, place) = try await visiting(scene)
        let owner = Owner.local(machine: "m", uid: 4321)
        let caller = Caller(owner: owner)
        let request = FlowRequest(caller: caller, client: "tasks-cli", policy: try PolicyID(BrowserScene.policy))
        let flow = try await scene.flows.start(request).flow
        let answers = FlowSubmission(
            flow: flow.id,
            step: try #require(flow.step).id,
            submissionID: "s1",
            answers: ["username": .string(BrowserScene.email), "password": .string(BrowserScene.password)]
        )
        #expect(try await scene.flows.submit(answers, caller: caller).flow.state == .succeeded)
        let page = try await browser.send(.get, place)
        #expect(page.text.contains("(uid 4321)"))
        let devices = words("_endDevice", page)
        let change = page.hidden.merging(["_endDevice": try #require(devices.first)]) { $1 }
        let done = try await browser.send(.post, place, form: change)
        #expect(done.location.hasPrefix(Self.path) && done.location.contains("changed=deviceEnded"))
        #expect(try await scene.store.sessions.live(owner: owner).isEmpty)
    }

    @Test("a client that signed the user in twice is listed once, and its button signs it out of both")
    func once() async throws {
        let scene = try BrowserScene(base: Self.secure)
        var (browser, place) = try await visiting(scene)
        let scopes: [String: String?] = ["scope": "openid tasks.read offline_access"]
        var tokens: [String] = []
        for _ in 0..<2 {
            let code = try #require(try await browser.authorize(scopes).reply["code"])
            tokens.append(try #require(try await scene.redeem(code)["refresh_token"]?.string))
        }
        let page = try await browser.send(.get, place)
        let devices = words("_endDevice", page)
        #expect(devices.count == 1)
        let change = page.hidden.merging(["_endDevice": try #require(devices.first)]) { $1 }
        #expect(try await browser.send(.post, place, form: change).status == 303)
        #expect(words("_endDevice", try await browser.send(.get, place)) == [])
        let user = try #require(try await scene.store.users.find(signInName: BrowserScene.email))
        #expect(try await scene.store.users.account(of: user.id).families.isEmpty && tokens.count == 2)
    }

    private static let newPassword = "Another-horse-8"

    /// Submits the form that changes the password.
    private func change(
        _ browser: inout TestBrowser,
        at place: String,
        from old: String,
        to new: String
    ) async throws -> BrowserScene.Answer {
        let page = try await browser.send(.get, place + (place.contains("?") ? "&" : "?") + "edit=password")
        #expect(page.status == 200 && page.text.contains("current-password") && page.text.contains("new-password"))
        let form = page.hidden.merging(["password": old, "newPassword": new]) { $1 }
        return try await browser.send(.post, place, form: form)
    }

    @Test(
        "after a password change only the new one works, and other browsers and refresh tokens are signed out"
    )
    func password() async throws {
        let scene = try BrowserScene(base: Self.secure)
        var (first, place) = try await visiting(scene)
        let code = try #require(
            try await first.authorize(["scope": "openid tasks.read offline_access"]).reply["code"]
        )
        _ = try await scene.redeem(code)
        var second = TestBrowser(scene)
        second.place = try await second.send(.get, Self.path).location
        #expect(try await second.signIn().location == Self.path)
        let page = try await second.send(.get, place)
        #expect(page.text.contains("edit=password"))
        let done = try await change(&second, at: place, from: BrowserScene.password, to: Self.newPassword)
        #expect(done.location == "\(Self.path)?changed=passwordChanged")
        #expect(try await second.send(.get, done.location).text.contains("Your password was changed"))
        #expect(try await first.send(.get, place).location.hasPrefix("/local/flow/"))
        let user = try #require(try await scene.store.users.find(signInName: BrowserScene.email))
        #expect(try await scene.store.users.account(of: user.id).families.isEmpty)
        first.place = try await first.send(.get, place).location
        #expect(try await first.signIn().location != Self.path)
        #expect(try await first.signIn(BrowserScene.email, Self.newPassword).location == Self.path)
        #expect(try await scene.store.audit.all(limit: 100).map(\.event).contains("password.changed"))
    }

    @Test("the profile form follows its policy's rules, keeps what was typed, and shows the stored values")
    func profile() async throws {
        let scene = try BrowserScene()
        var (browser, place) = try await visiting(scene)
        #expect(try await browser.send(.get, place).text.contains("edit=profile"))
        let edit = place + (place.contains("?") ? "&" : "?") + "edit=profile"
        let page = try await browser.send(.get, edit)
        #expect(page.status == 200 && page.text.contains("value=\"Ada\"") && page.text.contains("Edit your profile"))
        let wrong = page.hidden.merging(["displayName": "", "city": "Bern"]) { $1 }
        let refused = try await browser.send(.post, place, form: wrong)
        #expect(refused.status == 422 && refused.text.contains("value=\"Bern\""))
        let right = page.hidden.merging(["displayName": "Ada King", "city": "Bern"]) { $1 }
        let done = try await browser.send(.post, place, form: right)
        #expect(done.status == 303 && done.location.contains("changed=profileChanged"))
        #expect(try await browser.send(.get, done.location).text.contains("Ada King"))
        let user = try #require(try await scene.store.users.find(signInName: BrowserScene.email))
        #expect(user.attributes["city"]?.string == "Bern" && user.displayName == "Ada King")
        #expect(try await scene.store.audit.all(limit: 100).map(\.event).contains("profile.changed"))
    }

    @Test("a wrong old password and a weak new one are reported at their fields, and nothing changes")
    func wrongPassword() async throws {
        let scene = try BrowserScene()
        var (browser, place) = try await visiting(scene)
        let wrong = try await change(&browser, at: place, from: "Wrong-horse-7", to: Self.newPassword)
        #expect(wrong.status == 422 && wrong.text.contains("Old password is incorrect."))
        #expect(!wrong.text.contains("Wrong-horse-7") && !wrong.text.contains(Self.newPassword))
        let weak = try await change(&browser, at: place, from: BrowserScene.password, to: "short")
        #expect(weak.status == 422 && weak.text.contains("aria-invalid"))
        let empty = try await change(&browser, at: place, from: "", to: Self.newPassword)
        #expect(empty.status == 422)
        let done = try await change(&browser, at: place, from: BrowserScene.password, to: Self.newPassword)
        #expect(done.status == 303 && done.location.contains("changed=passwordChanged"))
    }

    @Test("old passwords count as sign-in attempts: after five wrong ones the right one is not checked")
    func chargedPassword() async throws {
        let scene = try BrowserScene()
        var (browser, place) = try await visiting(scene)
        var last = 0
        for guess in 0..<10 where last != 429 {
            last = try await change(&browser, at: place, from: "Wrong-horse-\(guess)", to: Self.newPassword).status
        }
        #expect(last == 429)
        let right = try await change(&browser, at: place, from: BrowserScene.password, to: Self.newPassword)
        #expect(right.status == 429 && right.headers[.retryAfter] != nil)
    }

    @Test("a password change requires authentication within the last five minutes and the page's own form")
    func unprovenPassword() async throws {
        let scene = try BrowserScene(base: Self.secure)
        var (browser, place) = try await visiting(scene)
        let page = try await browser.send(.get, place + "?edit=password")
        let answers = ["password": BrowserScene.password, "newPassword": Self.newPassword]
        let forged = page.hidden.merging(answers) { $1 }.merging(["_csrf": "x"]) { $1 }
        #expect(try await browser.send(.post, place, form: forged).status == 403)
        scene.clock.advance(by: .seconds(301))
        #expect(try await browser.send(.get, place + "?edit=password").location.hasPrefix("/local/flow/"))
        let late = try await browser.send(.post, place, form: page.hidden.merging(answers) { $1 })
        #expect(late.status == 303 && late.location.hasPrefix("/local/flow/"))
        browser.place = late.location
        #expect(try await browser.signIn().location == Self.path)
    }

    @Test("a form with an invalid token, from another site, or without an action does nothing") func refused()
        async throws
    {
        let scene = try BrowserScene()
        var (browser, place) = try await visiting(scene)
        let page = try await browser.send(.get, place)
        let forged = ["_signOut": "everywhere", "_csrf": "x"]
        #expect(try await browser.send(.post, place, form: forged).status == 403)
        let foreign = page.hidden.merging(["_signOut": "everywhere"]) { $1 }
        let headers: HTTPFields = [try #require(HTTPField.Name("Sec-Fetch-Site")): "cross-site"]
        #expect(try await browser.send(.post, place, form: foreign, headers: headers).status == 403)
        let origin: HTTPFields = [try #require(HTTPField.Name("Origin")): "https://evil.example"]
        #expect(try await browser.send(.post, place, form: foreign, headers: origin).status == 403)
        #expect(try await browser.send(.post, place, form: page.hidden).status == 400)
        #expect(try await browser.send(.get, place).status == 200)
    }

    @Test("a form cannot end what belongs to another user") func somebodyElse() async throws {
        let scene = try BrowserScene(base: Self.secure)
        var (ada, place) = try await visiting(scene)
        let user = try #require(try await scene.store.users.find(signInName: BrowserScene.email))
        let theirs = try #require(try await scene.store.users.account(of: user.id).sessions.first)
        var bob = TestBrowser(scene)
        bob.place = try await bob.send(.get, Self.path).location
        #expect(try await bob.signUp("bob@example.org").location == Self.path)
        let page = try await bob.send(.get, place)
        let change = page.hidden.merging(["_endSession": theirs.id]) { $1 }
        #expect(try await bob.send(.post, place, form: change).status == 303)
        #expect(try await ada.send(.get, place).status == 200)
    }

    @Test("a sign-out on the page needs no new authentication, and ends only this browser's session") func here()
        async throws
    {
        let scene = try BrowserScene()
        var (browser, place) = try await visiting(scene)
        let page = try await browser.send(.get, place)
        let done = try await browser.send(.post, place, form: page.hidden.merging(["_signOut": "here"]) { $1 })
        let told = try await browser.notice(after: done)
        #expect(told.text.contains("You are signed out") && told.text.contains("href=\"/local/account\""))
        #expect(try await browser.send(.get, place).location.hasPrefix("/local/flow/"))
    }
}
