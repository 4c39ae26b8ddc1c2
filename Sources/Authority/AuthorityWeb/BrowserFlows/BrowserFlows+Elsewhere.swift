import FlowModel
import Flows
import OAuth
import OpenIDClient

extension BrowserFlows {
    /// Sends the browser of a ticket to the outside authority at which its flow is; nil for a flow that is answered here.
    ///
    /// Only the browser that the ticket belongs to gets there: one of the uid that began the flow, or of a person who has
    /// typed the two words of the terminal.
    ///
    /// - Throws: ``BrowserProblem``; `Refusal` if the authority's address cannot be found out.
    public func leaveElsewhere(_ text: String, _ browser: Browser) async throws -> LeavingBrowser? {
        let ticket = try await ticket(text, browser)
        guard ticket.isElsewhere else { return nil }
        let flow = try await flows.get(ticket.body.flow, owner: ticket.owner)
        guard !flow.state.isTerminal else { throw ended(flow, ticket, browser) }
        let departure = try await flows.outside.departure(flow.id, owner: ticket.owner)
        return try await leave(text, by: departure, browser)
    }

    /// Takes what an outside authority sent a browser back with.
    ///
    /// The state has been compared with the browser's cookie, so it is the browser that the ticket belongs to.
    func returned(
        _ form: Form,
        to ticket: Ticket,
        _ text: String,
        _ browser: Browser
    ) async throws -> ReturnOutcome {
        let answer = ProviderAnswer(
            code: form["code"].map { Secret($0) },
            issuer: form["iss"],
            error: form["error"]
        )
        let flow = try await flows.outside.returned(ticket.body.flow, owner: ticket.owner, answer)
        guard flow.state == .succeeded else { throw ended(flow, ticket, browser) }
        return .posted(.backToTerminal, ticket: text)
    }
}

extension Ticket {
    /// True for a flow that is answered at an outside authority.
    var isElsewhere: Bool { OutsideFlows.has(body.flow) }
}
