import Authority
import AuthorityStore
import FlowModel
import Flows
import OAuth

/// The result of a flow whose grant and session were written in the transaction that recorded its success.
struct ConcludedTicket: Sendable {
    var code: Secret?
}

extension FlowPages {
    /// Returns a function that determines the grant and the session changes to write when the flow succeeds.
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

    /// Returns the outcome of a successful flow, which is the same if the last answer is repeated.
    ///
    /// If `concluded` is `nil`, the grant and the session were not written with the flow's success, and are written
    /// now.
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
