import Authority
import AuthorityStore
import FlowModel
import Flows
import Moments
import OAuth
import Policies
import StoreRefusals

extension BrowserFlows {
    /// Gives the user access to the account page after a flow, only for a few minutes if the flow created no session.
    func visit(
        after ticket: Ticket,
        _ finished: FlowOutcome?,
        isHandedOver: Bool,
        keepsSignedIn: Bool,
        _ browser: Browser
    ) async throws -> PostedOutcome {
        let flow = ticket.body.flow
        if let session = try await newSession(
            ticket,
            flow,
            finished,
            isHandedOver: isHandedOver,
            isKept: keepsSignedIn,
            browser
        ) {
            return .account(.session(session))
        }
        let visit = tickets.derived("visit", flow)
        let cookie = tickets.derived("visit cookie", flow)
        if let finished {
            do {
                let body = Ticket.Body(flow: flow, end: .visit(finished.user))
                try await tickets.keep(
                    visit,
                    body,
                    owner: ticket.owner,
                    browser: browser.hash(cookie),
                    for: AccountPages.proofLife
                )
            } catch let refusal as Refusal {
                // If the last answer was submitted twice, the first submission has already stored this ticket.
                let row = try await Self.rows.storing { try await store.tickets.get(Handle.hash(visit)) }
                guard row != nil else { throw refusal }
            }
        }
        return .account(.visit(ticket: visit, cookie: cookie))
    }

    /// Returns the changes that move the user's sessions to the new cookie and end other users' sessions.
    ///
    /// The array is empty if the flow created no session.
    func handOvers(
        _ ticket: Ticket,
        _ pending: String,
        _ finished: FlowOutcome,
        isKept: Bool,
        _ browser: Browser
    ) -> [SessionHandOver] {
        guard let session = finished.session else { return [] }
        let kept = daysKept(finished, isKept: isKept).map {
            (session: session, until: Deadline(.seconds($0 * 86_400), after: clock.now))
        }
        let owner = browser.owner(tickets.derived("session", pending))
        var changes = [SessionHandOver(from: ticket.owner, to: owner, of: finished.user, keeping: kept)]
        // If the last answer is repeated with the new cookie, `before` equals `owner`, and no session ends.
        if let before = browser.owner, before != ticket.owner, before != owner {
            // A new sign-in deletes the browser's remembered authentications. A flow that continues a session keeps
            // them.
            let remembers = finished.continuesSession == true
            changes.append(SessionHandOver(from: before, to: owner, of: finished.user, remembering: remembers))
        }
        return changes
    }

    /// Returns how many days the user stays signed in, or `nil` if closing the browser signs the user out.
    ///
    /// As in B2C, closing the browser always signs out a user who signed in with an external provider.
    private func daysKept(_ finished: FlowOutcome, isKept: Bool) -> Int? {
        let allowed = authority.policy(finished.policy)?.session.keepMeSignedInDays ?? 0
        return isKept && allowed > 0 && finished.provider == nil ? allowed : nil
    }

    /// Returns the browser's new session cookie after a sign-in, or `nil` if the flow created no session.
    ///
    /// The cookie is derived from `pending`, the id of the pending request or flow. `isHandedOver` means that the
    /// changes returned by ``handOvers(_:_:_:isKept:_:)`` have already been written.
    func newSession(
        _ ticket: Ticket,
        _ pending: String,
        _ finished: FlowOutcome?,
        isHandedOver: Bool,
        isKept: Bool,
        _ browser: Browser
    ) async throws -> NewSession? {
        guard let finished, finished.session != nil else { return nil }
        let cookie = tickets.derived("session", pending)
        let days = daysKept(finished, isKept: isKept)
        let owner = browser.owner(cookie)
        if !isHandedOver {
            let changes = handOvers(ticket, pending, finished, isKept: isKept, browser)
            try await Self.rows.storing { try await store.sessions.handOver(changes) }
        }
        let remembered = try await Self.rows.storing {
            try await store.remembered.live(owner: owner, user: finished.user).map {
                Int(($0.ends.wall - clock.now.wall) / 1000)
            }
        }
        let device: Secret? =
            switch authority.policy(finished.policy)?.secondFactor.when {
            case .newDevice?: self.device(of: browser, pending)
            case .never?, .always?, nil: nil
            }
        let seconds = ([days.map { $0 * 86_400 }].compactMap { $0 } + remembered).max()
        return NewSession(cookie: cookie, seconds: seconds, device: device)
    }

    /// Returns the browser's device cookie, or a new one that marks the browser as known when the flow succeeds.
    func device(of browser: Browser, _ pending: String) -> Secret {
        browser.device ?? tickets.derived("device", pending)
    }
}
