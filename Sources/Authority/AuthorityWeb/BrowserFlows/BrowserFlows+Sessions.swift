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
        keepsSignedIn: Bool,
        _ browser: Browser
    ) async throws -> PostedOutcome {
        let flow = ticket.body.flow
        if let session = try await newSession(ticket, flow, finished, isKept: keepsSignedIn, browser) {
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

    /// The new session cookie of a browser whose person has just signed in; nil if it does not stay signed in.
    ///
    /// It takes over the sessions of that person, and those of anybody else end: a browser is signed in as one person.
    /// Who came by a provider outside is kept no longer than the session, whatever the page before said (B2C).
    func newSession(
        _ ticket: Ticket,
        _ pending: String,
        _ finished: FlowOutcome?,
        isKept: Bool,
        _ browser: Browser
    ) async throws -> NewSession? {
        guard let finished, let session = finished.session else { return nil }
        let cookie = tickets.derived("session", pending)
        let allowed = authority.policy(finished.policy)?.session.keepMeSignedInDays ?? 0
        let days = isKept && allowed > 0 && finished.provider == nil ? allowed : nil
        let kept = days.map { (session: session, until: Deadline(.seconds($0 * 86_400), after: clock.now)) }
        let owner = browser.owner(cookie)
        var changes = [SessionHandOver(from: ticket.owner, to: owner, of: finished.user, keeping: kept)]
        if let before = browser.owner, before != ticket.owner {
            // The last sign-in says if the person is remembered here.
            changes.append(SessionHandOver(from: before, to: owner, of: finished.user, remembering: false))
        }
        try await Self.rows.storing { [changes] in try await store.sessions.handOver(changes) }
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
