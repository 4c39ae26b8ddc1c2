import Authority
import AuthorityStore
import FlowModel
import Flows
import OAuth

/// The rows written together with a flow's success: the grant that the flow was for, and the browser's new session.
struct ConcludedTicket: Sendable {
    /// The code for the client, or `nil` for a flow without a client.
    var code: Secret?
}

extension FlowPages {
    /// Returns what to write together with the success of a ticket's flow: the client's code or the device's approval,
    /// and the sessions under the browser's new cookie.
    func conclusion(of ticket: Ticket, keepsSignedIn: Bool, _ browser: Browser) -> Conclude<ConcludedTicket> {
        { [browsers] finished, authentication in
            let caller = browser.caller(ticket.owner)
            func handOvers(_ pending: String) -> [SessionHandOver] {
                browsers.handOvers(ticket, pending, finished, isKept: keepsSignedIn, browser)
            }
            switch ticket.body.end {
            case .terminal, .visit, .link: return nil
            case .account:
                let changes = handOvers(ticket.body.flow)
                return changes.isEmpty ? nil : Conclusion(handingOver: changes, ConcludedTicket())
            case .device(let device, let pending):
                let expected = browsers.authority.expected
                let grant = try await expected.approval(device, pending: pending, by: authentication, caller)
                return grant.map { Conclusion(granting: $0, ConcludedTicket()) }
            case .client(let request, let pending):
                let given = try await browsers.authority.expected.code(
                    pending: pending,
                    by: authentication,
                    session: finished.session,
                    request.terms,
                    caller
                )
                return given.map { code, grant in
                    Conclusion(granting: grant, handingOver: handOvers(pending), ConcludedTicket(code: code))
                }
            }
        }
    }

    /// Returns the code for the client, and the browser's new session.
    ///
    /// Both are derived from the request, so repeating the last answer returns the same response.
    ///
    /// - Parameters:
    ///   - ticket: The ticket of the flow.
    ///   - finished: The outcome of the flow.
    ///   - concluded: What was written together with the outcome. If `nil`, this method writes it now.
    ///   - keepsSignedIn: Whether the user chose to stay signed in on this browser.
    ///   - browser: The browser.
    /// - Returns: The outcome.
    /// - Throws: `Refusal`.
    func finish(
        _ ticket: Ticket,
        _ finished: FlowOutcome?,
        concluded: ConcludedTicket?,
        keepsSignedIn: Bool,
        _ browser: Browser
    ) async throws -> PostedOutcome {
        switch ticket.body.end {
        case .terminal, .visit: return .backToTerminal
        case .link(let visit): return .account(.back(visit: visit, isLinked: true))
        case .account:
            return try await browsers.visit(
                after: ticket,
                finished,
                isHandedOver: concluded != nil,
                keepsSignedIn: keepsSignedIn,
                browser
            )
        case .device(let device, let pending):
            if concluded == nil {
                try await browsers.authority.devices.approve(
                    device,
                    pending: pending,
                    browser.caller(ticket.owner)
                )
            }
            return .deviceConnected
        case .client(let request, let pending):
            let code: Secret
            if let given = concluded?.code {
                code = given
            } else {
                let caller = browser.caller(ticket.owner)
                let session = finished?.session
                code = try await browsers.authority.issueCode(
                    pending: pending,
                    session: session,
                    request.terms,
                    caller
                )
            }
            let session = try await browsers.newSession(
                ticket,
                pending,
                finished,
                isHandedOver: concluded != nil,
                isKept: keepsSignedIn,
                browser
            )
            return .answer(request.reply.granting(code: code), session: session)
        }
    }
}
