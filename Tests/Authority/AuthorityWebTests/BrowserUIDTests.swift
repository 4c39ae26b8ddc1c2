import Authority
import AuthorityStore
import FlowModel
import HTTPTypes
import OAuth
import Policies
import TestSupport
import Testing

/// Cookies of local browsers, which a service on another port of the host can read and set.
///
/// The kernel reports the uids of these browsers.
@Suite(.timeLimit(.minutes(2)))
struct BrowserUIDTests {
    private static let secure = "https://localhost:8420"
    private static let account = "/local/account"

    private func browser(_ scene: BrowserScene, uid: UInt32? = 1000) -> TestBrowser {
        var browser = TestBrowser(scene)
        browser.uid = uid
        return browser
    }

    private func signedIn(_ scene: BrowserScene, uid: UInt32? = 1000) async throws -> TestBrowser {
        var browser = browser(scene, uid: uid)
        try await browser.authorize()
        #expect(try await browser.signUp().reply["code"] != nil)
        return browser
    }

    @Test(
        "a session cookie from another uid or an unknown uid is ignored, and its own uid stays signed in",
        arguments: [1001, 0, nil] as [UInt32?]
    )
    func session(_ uid: UInt32?) async throws {
        let scene = try BrowserScene(base: Self.secure)
        let own = try await signedIn(scene)
        var thief = own
        thief.uid = uid
        #expect(try await thief.authorize(["prompt": "none"]).reply["error"] == "login_required")
        #expect(try await thief.send(.get, Self.account).location.hasPrefix("/local/flow/"))
        #expect(try await thief.send(.get, "/local/notice?done=left").status == 200)
        var browser = own
        #expect(try await browser.authorize(["prompt": "none"]).reply["code"] != nil)
        #expect(try await browser.send(.get, Self.account).text.contains(BrowserScene.email))
    }

    @Test("a session cookie of a remote browser is ignored when a local uid presents it")
    func fromElsewhere() async throws {
        let scene = try BrowserScene(base: Self.secure)
        var thief = try await signedIn(scene, uid: nil)
        thief.uid = 1000
        #expect(try await thief.authorize(["prompt": "none"]).reply["error"] == "login_required")
    }

    @Test("the pages of a flow open with its cookie only for the uid that began it") func flow()
        async throws
    {
        let scene = try BrowserScene(base: Self.secure)
        var own = browser(scene)
        try await own.authorize()
        var thief = own
        thief.uid = 1001
        #expect(try await thief.page().status == 404)
        let page = try await own.page()
        #expect(page.status == 200)
        #expect(try await thief.post(["_action": "create"], from: page).status == 404)
        #expect(try await own.signUp().reply["code"] != nil)
    }

    @Test("over http a uid does not see another uid's visit, even with that uid's cookie planted in its browser")
    func visit() async throws {
        let scene = try BrowserScene()
        var attacker = browser(scene, uid: 1001)
        attacker.place = try await attacker.send(.get, Self.account).location
        let visit = try await attacker.signUp().location
        #expect(visit.contains("visit="))
        #expect(try await attacker.send(.get, visit).text.contains(BrowserScene.email))
        var victim = attacker
        victim.uid = 1000
        let shown = try await victim.send(.get, visit)
        #expect(shown.location.hasPrefix("/local/flow/") && !shown.text.contains(BrowserScene.email))
    }

    @Test("the form for a device code is accepted only from the uid that it was shown to") func form()
        async throws
    {
        let scene = try BrowserScene(base: Self.secure)
        var own = browser(scene)
        let page = try await own.send(.get, Devices.path)
        let form = page.hidden.merging(["user_code": "BCDF-GHJK"]) { $1 }
        var thief = own
        thief.uid = 1001
        #expect(try await thief.send(.post, Devices.path, form: form).status == 403)
        #expect(try await own.send(.post, Devices.path, form: form).status == 422)
    }
}
