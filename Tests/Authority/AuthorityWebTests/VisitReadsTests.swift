import TestSupport
import Testing

/// The rows that the pages of a flow read.
@Suite(.timeLimit(.minutes(1)))
struct VisitReadsTests {
    private static let ticket = "SELECT * FROM tickets WHERE hash"
    private static let flow = "SELECT * FROM flows WHERE id ="

    @Test("a page reads its ticket and its flow once, and an answer reads its ticket once") func reads() async throws {
        let count = StatementCount()
        var browser = TestBrowser(try count.opening { try BrowserScene() })
        try await browser.authorize()
        var before = (tickets: count(containing: Self.ticket), flows: count(containing: Self.flow))
        let page = try await browser.page()
        #expect(page.status == 200)
        #expect(count(containing: Self.ticket) - before.tickets == 1)
        #expect(count(containing: Self.flow) - before.flows == 1)
        before.tickets = count(containing: Self.ticket)
        let action = try await browser.post(["_action": "create"], from: page)
        #expect(action.status == 303)
        #expect(count(containing: Self.ticket) - before.tickets == 1)
    }
}
