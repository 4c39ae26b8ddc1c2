import AuthorityStore
import Credentials
import FlowModel
import HTTPTypes
import Moments
import OAuth
import Policies
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct FlowLimitPageTests {
    /// The page on which the user waits too long.
    enum Waiting: String, CaseIterable {
        case flow, code

        /// The time until the page expires, in seconds.
        var life: Int {
            switch self {
            case .flow: 900
            case .code: 600
            }
        }
    }

    /// Returns a browser that shows the page, and a valid answer on that page.
    private func browser(at place: Waiting, _ scene: BrowserScene) async throws -> (TestBrowser, [String: String]) {
        var browser = TestBrowser(scene)
        try await browser.authorize()
        switch place {
        case .flow:
            _ = try await browser.signUp()
            try await browser.authorize()
            return (browser, ["username": BrowserScene.email, "password": BrowserScene.password])
        case .code:
            _ = try await browser.post(["_action": "create"])
            let answers = ["email": BrowserScene.email, "displayName": "Ada", "password": BrowserScene.password]
            #expect(try await browser.post(answers).location == browser.place)
            return (browser, ["code": try await scene.mailedCode()])
        }
    }

    @Test("a flow expires after 900 s and a code after 600 s: up to the last second the right answer is accepted")
    func ends() async throws {
        for waiting in Waiting.allCases {
            let scene = try BrowserScene()
            var (browser, right) = try await browser(at: waiting, scene)
            scene.clock.advance(by: .seconds(waiting.life - 1))
            let page = try await browser.page()
            #expect(try await browser.post(right, from: page).reply["code"] != nil, "\(waiting)")

            let other = try BrowserScene()
            (browser, right) = try await self.browser(at: waiting, other)
            let old = try await browser.page()
            let hashes = other.hasher.computations
            other.clock.advance(by: .seconds(waiting.life))
            let late = try await browser.post(right, from: old)
            #expect(late.reply["code"] == nil && other.hasher.computations == hashes, "\(waiting) \(late)")
            let now = try await browser.page()
            switch waiting {
            case .flow:
                #expect(late.status == 410 && now.status == 410, "\(late.status) \(now.status)")
                #expect(now.text.contains("This sign-in has ended"), "\(now.text)")
            case .code:
                #expect(late.location == browser.place, "\(late)")
                #expect(now.text.contains("The code has expired. Request a new one."), "\(now.text)")
                #expect(!now.text.contains("attempts left"), "nothing was counted")
                #expect(try await browser.post(["_action": "resend"]).location == browser.place)
                let code = try await other.mailedCode()
                #expect(code != right["code"])
                #expect(try await browser.post(["code": code]).reply["code"] != nil)
            }
        }
    }

    @Test("pages reject answers of more than 16 KiB with an error, and count nothing") func tooMuch()
        async throws
    {
        let scene = try BrowserScene()
        var browser = TestBrowser(scene)
        try await browser.authorize()
        _ = try await browser.signUp()
        try await browser.authorize()
        let step = try await browser.page().hidden["_step"]
        let hashes = scene.hasher.computations
        let answers = ["username": BrowserScene.email, "password": String(repeating: "x", count: 16_385)]
        let refused = try await browser.post(answers)
        #expect(refused.status == 422 && refused.text.contains("16384"), "\(refused.status) \(refused.text)")
        #expect(!refused.text.contains("attempts left") && scene.hasher.computations == hashes)
        #expect(try await browser.page().hidden["_step"] == step)
        #expect(try await browser.signIn().reply["code"] != nil)
    }

    @Test(
        "fields that the step does not have are ignored, and more fields than a form may have are rejected",
        arguments: [(33, true), (120, true), (129, false)]
    )
    func fields(_ count: Int, _ isTaken: Bool) async throws {
        let scene = try BrowserScene()
        var browser = TestBrowser(scene)
        try await browser.authorize()
        _ = try await browser.signUp()
        try await browser.authorize()
        let right = ["username": BrowserScene.email, "password": BrowserScene.password]
        let more = Dictionary(uniqueKeysWithValues: (0..<count).map { ("field\($0)", "x") })
        let answer = try await browser.post(right.merging(more) { $1 })
        if isTaken {
            #expect(answer.reply["code"] != nil, "\(answer)")
        } else {
            #expect(answer.status == 400 && answer.headers[.location] == nil, "\(answer)")
            #expect(try await browser.signIn().reply["code"] != nil)
        }
    }

    @Test("a flow whose policy changes ends: its page and an answer to it report this and lead back to the client")
    func policyChanged() async throws {
        let scene = try BrowserScene()
        var browser = TestBrowser(scene)
        try await browser.authorize()
        _ = try await browser.signUp()
        try await browser.authorize()
        let old = try await browser.page()
        let other = try scene.secondDaemon([
            Policy(
                id: try PolicyID(BrowserScene.policy),
                kind: .signUpOrSignIn,
                displayName: "Another",
                scopes: ["tasks.read": []]
            )
        ])
        var changed = TestBrowser(other)
        (changed.cookies, changed.place) = (browser.cookies, browser.place)
        let answers = ["username": BrowserScene.email, "password": BrowserScene.password]
        let hashes = other.hasher.computations
        for answer in [try await changed.post(answers, from: old), try await changed.page()] {
            #expect(answer.status == 410 && answer.text.contains("This sign-in has ended"), "\(answer)")
            #expect(answer.text.contains("error=access_denied"), "\(answer.text)")
        }
        #expect(other.hasher.computations == hashes)
        // The flow stays ended, even in a daemon whose policy has not changed.
        var same = TestBrowser(try scene.secondDaemon())
        (same.cookies, same.place) = (browser.cookies, browser.place)
        let restored = try await same.page()
        #expect(restored.status == 410 && restored.text.contains("This sign-in has ended"), "\(restored)")
        #expect(try await same.post(answers, from: old).status == 410)
        let events = try await scene.store.audit.all(since: 0, limit: 1_000)
        #expect(events.count { $0.event == "flow.failed" && $0.detail["reason"] == "policy_changed" } == 1)
    }

    @Test("a flow whose client is removed ends, and stays ended when the client is registered again")
    func clientRemoved() async throws {
        let scene = try BrowserScene()
        var browser = TestBrowser(scene)
        let client = ClientRow(
            ClientSummary(client: "brief", name: "brief", redirectURIs: ["https://brief.example/cb"]),
            createdAt: scene.clock.now.wall
        )
        try await scene.store.clients.add(client)
        try await browser.authorize(["client_id": "brief", "redirect_uri": "https://brief.example/cb"])
        #expect(try await browser.page().status == 200)
        try await scene.store.clients.remove("brief")
        scene.clock.advance(by: .seconds(5))
        #expect(try await browser.page().status == 410)
        try await scene.store.clients.add(client)
        scene.clock.advance(by: .seconds(5))
        let late = try await browser.page()
        #expect(late.status == 410 && late.text.contains("This sign-in has ended"), "\(late)")
    }
}
