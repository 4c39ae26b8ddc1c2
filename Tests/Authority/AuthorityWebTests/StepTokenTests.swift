import AuthorityStore
import HTTPTypes
import Testing

/// The CSRF token in the form of a page is valid for one step only.
@Suite(.timeLimit(.minutes(1)))
struct StepTokenTests {
    @Test("the token of an earlier step is rejected at a later one, and the flow does not change") func earlier()
        async throws
    {
        let scene = try BrowserScene()
        var browser = TestBrowser(scene)
        try await browser.authorize()
        let first = try await browser.page()
        #expect(try await browser.post(["_action": "create"]).status == 303)
        let second = try await browser.page()
        let token = try #require(first.hidden["_csrf"])
        #expect(first.hidden["_step"] != second.hidden["_step"] && token != second.hidden["_csrf"])
        let answers = ["email": BrowserScene.email, "displayName": "Ada", "password": BrowserScene.password]
        let refused = try await browser.post(answers.merging(["_csrf": token]) { $1 }, from: second)
        #expect(refused.status == 403 && refused.headers[.location] == nil)
        // The flow is still at the same step, and no mail was sent.
        let third = try await browser.page()
        #expect(third.status == 200 && third.hidden["_step"] == second.hidden["_step"])
        #expect(try await waitingMails(scene) == 0)
        #expect(try await browser.post(answers, from: second).status == 303)
        #expect(try await waitingMails(scene) == 1)
    }

    private func waitingMails(_ scene: BrowserScene) async throws -> Int {
        try await scene.store.outbox.take(limit: 10, lease: .seconds(1)).count
    }
}
