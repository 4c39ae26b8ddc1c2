import Flows

extension BrowserFlows {
    /// The outcome of a ticket's flow in which nothing was left to ask, so that there is no page of it; nil for any other.
    ///
    /// - Throws: ``BrowserProblem``; `Refusal` of the flow.
    public func outcomeAtOnce(_ ticket: String, _ browser: Browser) async throws -> PostedOutcome? {
        let ticket = try await self.ticket(ticket, browser)
        guard isArriving(ticket),
            let finished = try await flows.finishedAtOnce(ticket.body.flow, owner: ticket.owner)
        else { return nil }
        return try await finish(ticket, finished, keepsSignedIn: false, browser)
    }
}
