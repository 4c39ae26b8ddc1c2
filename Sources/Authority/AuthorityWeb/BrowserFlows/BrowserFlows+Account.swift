import AuthorityStore
import FlowModel
import Flows
import OAuth
import StoreRefusals

extension BrowserFlows {
    /// The pages of people who are signed in.
    public var accounts: AccountPages { AccountPages(browsers: self) }

    /// The way to the account page after its sign-in: by the session that was left, or by a visit of a few minutes.
    func visit(
        after ticket: Ticket,
        _ finished: FlowOutcome?,
        keepsSignedIn: Bool,
        _ browser: Browser
    ) async throws -> PostedOutcome {
        let flow = ticket.body.flow
        if let session = try await newSession(ticket, flow, finished, isKept: keepsSignedIn, browser) {
            return .account(.session(session))
        }
        let visit = derived("visit", flow)
        let cookie = derived("visit cookie", flow)
        if let finished {
            do {
                let body = Ticket.Body(flow: flow, end: .visit(finished.user))
                try await keep(
                    visit,
                    body,
                    owner: ticket.owner,
                    browser: browser.hash(cookie),
                    for: AccountPages.proofLife
                )
            } catch let refusal as Refusal {
                // The last answer was sent twice: the first one has begun the visit.
                let row = try await Self.rows.storing { try await store.tickets.get(Handle.hash(visit)) }
                guard row != nil else { throw refusal }
            }
        }
        return .account(.visit(ticket: visit, cookie: cookie))
    }
}
