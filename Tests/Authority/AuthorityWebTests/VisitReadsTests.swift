import OAuth
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct VisitReadsTests {
    private static let ticket = "SELECT * FROM tickets WHERE hash"
    private static let flow = "SELECT * FROM flows WHERE id ="

    /// Returns the response to a request, and how many tickets and flows the request reads.
    private func reads<Answer>(
        _ count: StatementCount,
        _ request: () async throws -> Answer
    ) async throws -> (answer: Answer, tickets: Int, flows: Int) {
        let before = (count(containing: Self.ticket), count(containing: Self.flow))
        let answer = try await request()
        return (answer, count(containing: Self.ticket) - before.0, count(containing: Self.flow) - before.1)
    }

    @Test("a page, an action, an accepted answer and the final one each read their ticket and their flow once")
    func reads() async throws {
        let count = StatementCount()
        let scene = try count.opening { try BrowserScene() }
        var browser = TestBrowser(scene)
        try await browser.authorize()
        let shown = try await reads(count) { try await browser.page() }
        #expect(shown.answer.status == 200)
        #expect(shown.tickets == 1 && shown.flows == 1)
        let action = try await reads(count) { try await browser.post(["_action": "create"], from: shown.answer) }
        #expect(action.answer.status == 303)
        #expect(action.tickets == 1 && action.flows == 1)
        let form = try await browser.page()
        let filled = ["email": BrowserScene.email, "displayName": "Ada", "password": BrowserScene.password]
        let first = try await reads(count) { try await browser.post(filled, from: form) }
        #expect(first.answer.status == 303 && first.answer.reply["code"] == nil)
        #expect(first.tickets == 1 && first.flows == 1)
        let (code, asked) = (try await scene.mailedCode(), try await browser.page())
        let last = try await reads(count) { try await browser.post(["code": code], from: asked) }
        #expect(last.answer.reply["code"] != nil)
        #expect(last.tickets == 1 && last.flows == 1)
    }
}
