import AuthorityStore
import AuthorityWeb
import Credentials
import FlowModel
import Flows
import Foundation
import HTTPTypes
import Moments
import OAuth
import Policies
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct CheckPageTests {
    /// Creates a policy that requires one of these checks from all users, as a second factor.
    private func asking(_ checks: [String], _ kind: PolicyKind = .signUpOrSignIn) throws -> Policy {
        Policy(
            id: try PolicyID(kind == .signIn ? "b2c_1_sign_in" : BrowserScene.policy),
            kind: kind,
            attributes: [
                AttributeRule(name: "email", required: true, verify: true), AttributeRule(name: "displayName"),
            ],
            secondFactor: SecondFactor(when: .always, checks: checks),
            scopes: ["tasks.read": []]
        )
    }

    /// Returns the page's text without the name, the tokens and the remaining seconds, which differ between users.
    private func plain(_ page: BrowserScene.Answer, _ name: String, _ browser: TestBrowser) -> String {
        page.words(browser).replacing(name, with: "NAME").replacing(/[0-9]+ s\b/, with: "SECONDS")
    }

    @Test(
        "sign-up and password reset look the same for known and unknown names, up to a wrong code",
        arguments: ["create", "forgot"]
    )
    func enumeration(_ action: String) async throws {
        let scene = try BrowserScene()
        var browser = TestBrowser(scene)
        try await browser.authorize()
        _ = try await browser.signUp()
        var seen: [[String]] = []
        for name in [BrowserScene.email, "abe@example.org"] {
            var other = TestBrowser(scene)
            try await other.authorize()
            _ = try await other.post(["_action": action])
            let making = ["email": name, "displayName": "Ada", "password": "Another-horse-8"]
            let asked = try await other.post(action == "create" ? making : ["username": name])
            #expect(asked.status == 303)
            var pages = [plain(try await other.page(), name, other)]
            #expect(pages[0].contains("name=\"code\""))
            #expect(try await other.post(["code": "000000"]).location == other.place)
            pages.append(plain(try await other.page(), name, other))
            seen.append(pages)
        }
        #expect(seen[0] == seen[1] && seen[0][1].contains("That code is not correct."))
    }

    @Test(
        "a wrong code counts; a new one comes after 30 s at the earliest, restores no attempt and replaces the old one"
    )
    func codes() async throws {
        let scene = try BrowserScene()
        var browser = TestBrowser(scene)
        try await browser.authorize()
        _ = try await browser.post(["_action": "create"])
        _ = try await browser.post([
            "email": BrowserScene.email, "displayName": "Ada", "password": BrowserScene.password,
        ])
        let first = try await scene.mailedCode()
        #expect(try await browser.post(["code": first == "000000" ? "000001" : "000000"]).location == browser.place)
        let wrong = try await browser.page()
        #expect(wrong.text.contains("That code is not correct.") && wrong.text.contains("4 attempts left"))
        let early = try await browser.post(["_action": "resend"])
        #expect(early.status == 429 && early.headers[.retryAfter] == "30", "\(early.status)")
        scene.clock.advance(by: .seconds(30))
        #expect(try await browser.post(["_action": "resend"]).location == browser.place)
        let second = try await scene.mailedCode()
        #expect(try await browser.page().text.contains("4 attempts left"))
        #expect(try await browser.post(["code": first]).location == browser.place)
        #expect(try await browser.page().text.contains("3 attempts left"))
        let page = try await browser.page()
        #expect(try await browser.post(["code": second], from: page).reply["code"] != nil)
        let again = try await browser.post(["code": second, "_submission": "again"], from: page)
        #expect(again.status == 410 && again.headers[.location] == nil)
    }

    @Test("authenticator and recovery codes work once, and after five wrong ones none is checked")
    func authenticator() async throws {
        let scene = try BrowserScene(policies: [try asking(["Authenticator"])])
        var browser = TestBrowser(scene)
        try await browser.authorize()
        #expect(try await browser.signUp().location == browser.place)
        let setup = try await browser.page()
        let typed = try #require(setup.text.firstMatch(of: /([A-Z2-7]{4} ){7}[A-Z2-7]{4}/)).0
        let key = AuthenticatorKey(Secret(bytes: Self.decode(String(typed).replacing(" ", with: ""))))
        let step = AuthenticatorKey.step(at: scene.clock.now.wall)
        #expect(try await browser.post(["code": key.code(step: step + 9)]).location == browser.place)
        #expect(try await browser.page().text.contains("That code does not match the key."))
        #expect(try await browser.post(["code": key.code(step: step)]).location == browser.place)
        let codes = try await browser.page().text.matches(of: /[A-Z2-7]{5}-[A-Z2-7]{5}/).map { String($0.output) }
        #expect(codes.count == 8)
        #expect(try await browser.post(["kept": "true"]).reply["code"] != nil)
        // Each pair is a code that has already been used, and a valid code.
        let answers = [(key.code(step: step), codes[0]), (codes[0], key.code(step: step + 1))]
        for (used, good) in answers {
            try await browser.authorize(["prompt": "login"])
            #expect(try await browser.signIn().location == browser.place)
            #expect(try await browser.post(["code": used]).location == browser.place)
            let page = try await browser.page().text
            #expect(
                page.contains("That code is not correct, or it was already used.") && page.contains("4 attempts left")
            )
            let malformed = try await browser.post(["code": "12"])
            #expect(malformed.status == 422 && malformed.text.contains("4 attempts left"))
            #expect(try await browser.post(["code": good]).reply["code"] != nil)
        }
        try await browser.authorize(["prompt": "login"])
        #expect(try await browser.signIn().location == browser.place)
        for _ in 0..<4 { #expect(try await browser.post(["code": codes[0]]).location == browser.place) }
        let last = try await browser.post(["code": codes[0]])
        #expect(last.status == 429 && last.text.contains("AADB2C90151"), "\(last)")
        try await browser.authorize(["prompt": "login"])
        let blocked = try await browser.signIn()
        #expect(blocked.status == 429 && blocked.headers[.retryAfter] != nil)
    }

    private static func decode(_ base32: String) -> [UInt8] {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        let bits = base32.compactMap(letters.firstIndex).flatMap { value in
            (0..<5).reversed().map { value >> $0 & 1 }
        }
        return stride(from: 0, to: bits.count / 8 * 8, by: 8).map { start in
            bits[start..<start + 8].reduce(0) { $0 << 1 | UInt8($1) }
        }
    }

    private static let owner = Owner.local(machine: "m", uid: 4321)

    /// Starts a flow in a terminal, and returns a browser that continues the flow.
    ///
    /// The flow requires the password and then the PIN.
    private func askedForPIN(_ scene: BrowserScene) async throws -> TestBrowser {
        let user = try #require(try await scene.store.users.find(signInName: BrowserScene.email))
        let caller = Caller(owner: Self.owner)
        let request = FlowRequest(
            caller: caller,
            client: "tasks-cli",
            policy: try PolicyID(BrowserScene.policy),
            requirement: Requirement(checks: ["PinCodeAttempts"], user: .user(user.id))
        )
        let flow = try await scene.flows.start(request).flow
        let place = try await scene.browsers.terminals.place(of: flow, client: "tasks-cli", by: .link, caller)
        var browser = TestBrowser(scene)
        browser.place = String(place.url.dropFirst(scene.base.utf8.count))
        let question = try await browser.send(.get, browser.place)
        #expect(try await browser.send(.post, browser.place, form: question.typing(place.words)).status == 303)
        return browser
    }

    @Test("a malformed PIN on a page does not count, wrong PINs do, and three of them also block the right one")
    func pin() async throws {
        let scene = try BrowserScene()
        var other = TestBrowser(scene)
        try await other.authorize()
        _ = try await other.signUp()
        var browser = try await askedForPIN(scene)
        #expect(try await browser.signIn().location == browser.place)
        #expect(try await browser.page().text.contains("Choose a PIN"))
        #expect(try await browser.post(["pin": "2468"]).location.contains("done=answered"))
        browser = try await askedForPIN(scene)
        var waiting = try await askedForPIN(scene)
        var guessing = try await askedForPIN(scene)
        #expect(try await browser.signIn().location == browser.place)
        #expect(try await waiting.signIn().location == waiting.place)
        #expect(try await guessing.signIn().location == guessing.place)
        let malformed = try await browser.post(["pin": "12a4"])
        #expect(malformed.status == 422 && malformed.text.contains("3 attempts left"))
        for left in ["2 attempts left", "One attempt left"] {
            #expect(try await browser.post(["pin": "0000"]).location == browser.place)
            let page = try await browser.page().text
            #expect(page.contains("That PIN is not correct.") && page.contains(left), "\(page)")
        }
        let last = try await browser.post(["pin": "0000"])
        #expect(last.status == 429 && last.headers[.retryAfter] != nil)
        let right = try await waiting.post(["pin": "2468"])
        #expect(right.status == 429 && right.headers[.retryAfter] != nil)
        let wrong = try await guessing.post(["pin": "0000"])
        #expect(wrong.status == 429 && wrong.words(guessing) == right.words(waiting))
    }

    @Test("a browser without a uid gets the mailed code where a PIN or a mailed code is accepted") func noUID()
        async throws
    {
        let scene = try BrowserScene(policies: [
            try asking(["PinCodeAttempts", "EmailCode"]), try asking(["PinCodeAttempts"], .signIn),
        ])
        var browser = TestBrowser(scene)
        try await browser.authorize()
        #expect(try await browser.signUp().reply["code"] != nil)
        var second = TestBrowser(scene)
        try await second.authorize()
        #expect(try await second.signIn().location == second.place)
        let page = try await second.page()
        #expect(page.text.contains("name=\"code\"") && !page.text.contains("name=\"pin\""))
        #expect(try await second.post(["code": try await scene.mailedCode()]).reply["code"] != nil)
        // If the policy accepts only a PIN, the sign-in fails.
        var third = TestBrowser(scene)
        try await third.authorize(path: "/local/b2c_1_sign_in/oauth2/v2.0/authorize")
        let refused = try await third.signIn()
        #expect(refused.status == 403 && !refused.text.contains("name=\"pin\""), "\(refused.status)")
        #expect(
            refused.text.contains("You must enter a PIN. This is only possible in a program on your own machine.")
        )
    }

    @Test("an answer to an expired step is not evaluated: the page repeats the prompt, and nothing is counted")
    func tooLate() async throws {
        let scene = try BrowserScene()
        var browser = TestBrowser(scene)
        try await browser.authorize()
        _ = try await browser.signUp()
        try await browser.authorize(["prompt": "login"])
        let old = try await browser.page()
        scene.clock.advance(by: .seconds(121))
        let answers = ["username": BrowserScene.email, "password": "Wrong-horse-7"]
        let late = try await browser.post(answers, from: old)
        #expect(late.status == 303 && late.location == browser.place)
        let fresh = try await browser.page()
        #expect(fresh.status == 200 && fresh.hidden["_step"] != old.hidden["_step"])
        #expect(!fresh.text.contains("attempts left"))
        #expect(try await browser.signIn().reply["code"] != nil)
    }

    @Test("the twenty-first malformed answer ends the flow, and the client gets an error") func patience() async throws
    {
        let scene = try BrowserScene()
        var browser = TestBrowser(scene)
        try await browser.authorize()
        for _ in 0..<20 { #expect(try await browser.post(["username": "", "password": ""]).status == 422) }
        let last = try await browser.post(["username": "", "password": ""])
        let told = last.text + last.location
        #expect(last.status != 422 && told.contains("access_denied") && told.contains("AADB2C90157"), "\(last)")
        #expect(try await browser.page().status == 403)
    }
}
