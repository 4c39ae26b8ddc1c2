import Authority
import FlowModel
import Flows
import OAuth

extension AccountPages {
    /// Begins the flow that leads to a provider, for a person who has just proved who they are, and back to their page.
    ///
    /// Its ticket is this browser's alone, and so is the way back from the provider: nobody else's account there can come to
    /// this one by an address that somebody was sent.
    func link(
        _ provider: String,
        to user: UserID,
        visit: String?,
        _ browser: Browser
    ) async throws -> AccountOutcome {
        let change = try await browsers.flows.accounts.linking(provider, to: user)
        let owner = Browser.fresh
        let flow = try await browsers.begin(
            FlowRequest(
                caller: browser.caller(owner),
                client: AuthoritySettings.defaultClient,
                policy: browsers.authority.settings().defaultPolicy,
                requirement: Requirement(user: .user(user), change: change, asksAnew: true),
                proven: user
            ),
            browser
        )
        let (ticket, cookie) = try await browsers.tickets.open(
            Ticket.Body(flow: flow, end: .link(visit: visit)),
            owner: owner,
            browser
        )
        return .pages(ticket: ticket, cookie: cookie)
    }
}
