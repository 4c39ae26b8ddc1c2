import Authority
import AuthorityStore
public import FlowModel
import Flows
import Moments
public import OAuth
import StoreRefusals
import Systemd

/// A browser at the address of a flow that no browser has yet.
public enum Arrival: Sendable {
    /// The flow is this browser's from now on.
    case admitted(cookie: Secret)
    /// The person has to say that it is theirs, by a form with this token.
    case asks(TerminalRequest, csrf: String, cookie: Secret)
}

extension BrowserFlows {
    /// Makes the place where a browser continues a flow of the socket.
    ///
    /// Whoever gets the link must be the uid that began the flow, or say that their own terminal shows the two words.
    ///
    /// - Parameters:
    ///   - flow: The open flow.
    ///   - client: The client that the program says it is.
    ///   - kind: The way in which the browser gets there.
    ///   - caller: The caller, whose owner has the flow.
    /// - Returns: The place.
    /// - Throws: `Refusal`.
    public func place(
        of flow: Flow,
        client: String,
        by kind: BrowserPlace.Kind,
        _ caller: Caller
    ) async throws -> BrowserPlace {
        guard case .local(_, let uid) = caller.owner else { throw BrowserProblem.notHere }
        let words = PlainWords.two()
        var terminal = TerminalRequest(
            words: words,
            client: client,
            uid: uid,
            user: MachineNames.user(uid),
            machine: MachineNames.host,
            asked: clock.now.wall
        )
        terminal.links = try await flows.isLink(flow.id, owner: caller.owner) ? true : nil
        let body = Ticket.Body(flow: flow.id, end: .terminal(terminal), revision: flow.rev)
        let settings = authority.settings()
        switch kind {
        case .link:
            let ticket = Handle.random()
            try await keep(ticket, body, owner: caller.owner, browser: nil)
            // The cookie's path is in lower case.
            let root = "\(settings.base)/\(settings.tenant.lowercased())"
            return BrowserPlace(url: "\(root)/flow/\(ticket.reveal())", words: words)
        case .code:
            let userCode = UserCode.random()
            try await keep(ticket(ofCode: userCode), body, owner: caller.owner, browser: nil)
            let page = settings.base + Devices.path
            let shown = UserCode.shown(userCode)
            return BrowserPlace(
                url: "\(page)?user_code=\(shown)",
                words: words,
                code: BrowserPlace.TypedCode(userCode: shown, page: page)
            )
        }
    }

    /// The ticket of a terminal that waits under a user code; nil if none does.
    ///
    /// The caller has charged the look to the place that it comes from.
    func terminal(userCode: String) async throws -> Secret? {
        guard let code = UserCode.canonical(userCode) else { return nil }
        let ticket = ticket(ofCode: code)
        let row = try await Self.rows.storing { try await store.tickets.get(Handle.hash(ticket)) }
        return row == nil ? nil : ticket
    }

    /// The ticket that a user code stands for: whoever has the address need not know the code, and nobody can make the
    /// address from a guess.
    private func ticket(ofCode userCode: String) -> Secret { derived("terminal", userCode) }

    /// Lets a browser have a flow of a terminal, or asks its person first.
    ///
    /// The kernel says whose a connection of this machine is: the uid that began the flow is let in without a question.
    ///
    /// - Throws: ``BrowserProblem``; `Refusal`.
    public func arrive(at text: String, _ browser: Browser) async throws -> Arrival {
        let ticket = try await anyTicket(text)
        guard case .terminal(let terminal) = ticket.body.end, ticket.browser.isEmpty else {
            throw BrowserProblem.notHere
        }
        let cookie = Handle.random()
        guard browser.origin == ticket.owner.origin else {
            return .asks(terminal, csrf: token(of: "claim \(ticket.hash)", browser.owner(cookie)), cookie: cookie)
        }
        try await claim(ticket, browser.hash(cookie))
        return .admitted(cookie: cookie)
    }

    /// Takes a person's answer to the question if a flow of a terminal is theirs.
    ///
    /// - Returns: True if the flow is this browser's from now on; false if it was turned away, and has ended.
    /// - Throws: ``BrowserProblem``; `Refusal`.
    public func decide(_ text: String, csrf: String, allows: Bool, _ browser: Browser) async throws -> Bool {
        let ticket = try await anyTicket(text)
        let cookie = browser.cookies.first {
            Secret(csrf) == Secret(token(of: "claim \(ticket.hash)", browser.owner($0)))
        }
        guard let cookie else { throw ticket.browser.isEmpty ? BrowserProblem.forged : .notHere }
        guard allows else {
            guard ticket.browser.isEmpty else { throw BrowserProblem.notHere }
            _ = try await flows.cancel(ticket.body.flow, caller: browser.caller(ticket.owner), reason: "turned away")
            return false
        }
        try await claim(ticket, browser.hash(cookie))
        return true
    }

    private func claim(_ ticket: Ticket, _ cookie: String) async throws {
        let isFirst = try await Self.rows.storing {
            try await store.tickets.claim(ticket.hash, browser: cookie)
        }
        guard isFirst else { throw BrowserProblem.notHere }
    }
}
