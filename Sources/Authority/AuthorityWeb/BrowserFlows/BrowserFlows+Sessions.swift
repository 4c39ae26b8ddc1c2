import Authority
import AuthorityStore
import FlowModel
import Flows
import Moments
import OAuth
import Policies
import StoreRefusals

extension BrowserFlows {
    /// The way to the account page after its sign-in: by the session that was left, or by a visit of a few minutes.
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
                // The last answer was sent twice: the first one has begun the visit.
                let row = try await Self.rows.storing { try await store.tickets.get(Handle.hash(visit)) }
                guard row != nil else { throw refusal }
            }
        }
        return .account(.visit(ticket: visit, cookie: cookie))
    }

    /// The hand-overs of sessions to the new session cookie of a browser whose person has just signed in; none if the flow
    /// has left no session.
    ///
    /// The cookie takes over the sessions of that person, and those of anybody else end: a browser is signed in as one person.
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
        // Sent again with the new cookie, the last answer takes it from nobody.
        if let before = browser.owner, before != ticket.owner, before != owner {
            // The last sign-in says if the person is remembered here; a flow that goes on from a session says nothing.
            let remembers = finished.continuesSession == true
            changes.append(SessionHandOver(from: before, to: owner, of: finished.user, remembering: remembers))
        }
        return changes
    }

    /// The days that a browser stays signed in by the person's choice; nil for no choice.
    ///
    /// Who came by a provider outside is kept no longer than the session, whatever the page before said (B2C).
    private func daysKept(_ finished: FlowOutcome, isKept: Bool) -> Int? {
        let allowed = authority.policy(finished.policy)?.session.keepMeSignedInDays ?? 0
        return isKept && allowed > 0 && finished.provider == nil ? allowed : nil
    }

    /// The new session cookie of a browser whose person has just signed in; nil if it does not stay signed in.
    ///
    /// - Parameters:
    ///   - ticket: The ticket of the flow.
    ///   - pending: The request that the flow has met, or the flow, from which the cookie follows.
    ///   - finished: The outcome of the flow.
    ///   - isHandedOver: Whether the success of the flow was written with ``handOvers(_:_:_:isKept:_:)``.
    ///   - isKept: Whether the person chose that the browser stays signed in.
    ///   - browser: The browser.
    /// - Returns: The cookie.
    /// - Throws: `Refusal`.
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

    /// The value by which a browser is known again: that of its cookie, or one that it gets when the flow ends well.
    func device(of browser: Browser, _ pending: String) -> Secret {
        browser.device ?? tickets.derived("device", pending)
    }
}
