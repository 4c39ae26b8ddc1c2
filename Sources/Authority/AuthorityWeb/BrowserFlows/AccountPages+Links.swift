import Authority
import FlowModel
import Flows
import OAuth

extension AccountPages {
    /// Starts a flow that links an account at a provider to a user who has just authenticated.
    ///
    /// The flow is bound to this browser, so an attacker cannot link their own identity by sending the user a URL.
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
