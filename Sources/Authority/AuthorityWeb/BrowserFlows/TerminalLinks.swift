import Authority
import AuthorityStore
public import FlowModel
import Flows
import Moments
public import OAuth
import StoreRefusals
import Systemd

/// The answer to a person who typed words, or who ended the flow.
public enum WordsOutcome: Sendable {
    /// The flow is this browser's from now on.
    case admitted
    /// The person ended the flow.
    case turnedAway
    /// The words have to be typed again.
    case asksAgain(TerminalRequest, WordsProblem)
}

/// The reason why words have to be typed again.
public enum WordsProblem: Hashable, Sendable {
    /// Nothing was typed.
    case missing
    /// They are not those of the terminal; the number of tries that are left.
    case wrong(left: Int)
}

/// A browser at the address of a flow that no browser has yet.
public enum Arrival: Sendable {
    /// The flow is this browser's from now on.
    case admitted(cookie: Secret)
    /// The person has to type the two words that the terminal shows, into a form with this token.
    case asks(TerminalRequest, csrf: String, cookie: Secret)
}

/// The links and user codes by which a browser continues a flow of a terminal.
public struct TerminalLinks: Sendable {
    let browsers: BrowserFlows

    private var authority: Authority { browsers.authority }
    private var flows: FlowDirectory { browsers.flows }
    private var store: AuthorityStore { browsers.store }
    private var clock: MomentClock { browsers.clock }
    private var tickets: Tickets { browsers.tickets }

    /// Makes the place where a browser continues a flow of the socket.
    ///
    /// Only a browser of the uid that began the flow continues it at once; any other has to type the two words.
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
        let body = Ticket.Body(flow: flow.id, end: .terminal(terminal), revision: flow.rev - flow.openings)
        let settings = authority.settings()
        switch kind {
        case .link:
            let ticket = Handle.random()
            try await tickets.keep(ticket, body, owner: caller.owner, browser: nil)
            // The cookie's path is in lower case.
            let root = "\(settings.base)/\(settings.tenant.lowercased())"
            return BrowserPlace(url: "\(root)/flow/\(ticket.reveal())", words: words)
        case .code:
            let userCode = UserCode.random()
            try await tickets.keep(ticket(ofCode: userCode), body, owner: caller.owner, browser: nil)
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
    func ticket(userCode: String) async throws -> Secret? {
        guard let code = UserCode.canonical(userCode) else { return nil }
        let ticket = ticket(ofCode: code)
        let row = try await BrowserFlows.rows.storing { try await store.tickets.get(Handle.hash(ticket)) }
        return row == nil ? nil : ticket
    }

    /// The ticket that a user code stands for: whoever has the address need not know the code, and nobody can make the
    /// address from a guess.
    private func ticket(ofCode userCode: String) -> Secret { tickets.derived("terminal", userCode) }

    /// Admits a browser to a flow of a terminal, or asks for the two words first.
    ///
    /// The kernel says whose a connection of this machine is: only a browser of the uid that began the flow is admitted
    /// without them. The flow records any other, so that the terminal reports who opened its link.
    ///
    /// - Throws: ``BrowserProblem``; `Refusal`.
    public func arrive(at text: String, _ browser: Browser) async throws -> Arrival {
        let ticket = try await tickets.any(text)
        guard case .terminal(let terminal) = ticket.body.end, ticket.browser.isEmpty else {
            throw BrowserProblem.notHere
        }
        try await requireOpen(ticket, browser)
        let cookie = Handle.random()
        guard browser.origin == ticket.owner.origin else {
            try await record(browser, at: ticket, continues: false)
            return .asks(
                terminal,
                csrf: tickets.token(of: "claim \(ticket.hash)", browser.owner(cookie)),
                cookie: cookie
            )
        }
        try await tickets.claim(ticket, browser.hash(cookie))
        return .admitted(cookie: cookie)
    }

    /// Takes the words that a person typed at the link of a terminal.
    ///
    /// Each try is charged to the link and to the origin before it is compared. The third wrong one ends the flow.
    ///
    /// - Parameters:
    ///   - text: The ticket.
    ///   - csrf: The token of the form.
    ///   - typed: The words as they were typed; nil if the person ended the flow instead.
    ///   - browser: The browser.
    /// - Returns: What follows.
    /// - Throws: ``BrowserProblem``; `Refusal`, `blocked` with the time to wait among them.
    public func decide(_ text: String, csrf: String, typed: String?, _ browser: Browser) async throws -> WordsOutcome {
        let ticket = try await tickets.any(text)
        let cookie = browser.cookies.first {
            Secret(csrf) == Secret(tickets.token(of: "claim \(ticket.hash)", browser.owner($0)))
        }
        guard let cookie else { throw ticket.browser.isEmpty ? BrowserProblem.forged : .notHere }
        guard case .terminal(let terminal) = ticket.body.end, ticket.browser.isEmpty else {
            throw BrowserProblem.notHere
        }
        try await requireOpen(ticket, browser)
        let caller = browser.caller(ticket.owner)
        guard let typed else {
            _ = try await flows.cancel(ticket.body.flow, caller: caller, reason: "rejected")
            return .turnedAway
        }
        let words = PlainWords.canonical(typed)
        guard !words.isEmpty else { return .asksAgain(terminal, .missing) }
        let verdict = try await authority.tryWords(of: ticket.hash, from: browser.origin) {
            Secret(words) == Secret(terminal.words.joined(separator: " "))
        }
        switch verdict {
        case .right:
            try await tickets.claim(ticket, browser.hash(cookie))
            // An answer that is being evaluated would be stale otherwise.
            _ = try await browsers.pages.settled(ticket)
            try await record(browser, at: ticket, continues: true)
            return .admitted
        case .wrong(let left) where left > 0: return .asksAgain(terminal, .wrong(left: left))
        case .wrong:
            // Nothing is left to claim, so a try that was right meanwhile keeps its flow.
            try await tickets.claim(ticket, Handle.hash(Handle.random()))
            throw browsers.pages.ended(try await flows.refuseWords(ticket.body.flow, caller: caller), ticket, browser)
        case .usedUp: throw BrowserProblem.notHere
        }
    }

    /// Refuses a ticket whose flow has ended.
    private func requireOpen(_ ticket: Ticket, _ browser: Browser) async throws {
        let flow = try await flows.get(ticket.body.flow, owner: ticket.owner)
        guard !flow.state.isTerminal else { throw browsers.pages.ended(flow, ticket, browser) }
    }

    /// Records a browser of another user or of another machine at the flow of a ticket.
    private func record(_ browser: Browser, at ticket: Ticket, continues: Bool) async throws {
        guard browser.origin != ticket.owner.origin else { return }
        let opener: LinkOpener =
            switch browser.origin {
            // A process whose uid the kernel does not tell.
            case .local(let machine, _) where browser.origin == .unknownLocal(machine: machine): .address("localhost")
            case .local(_, let uid): .user(uid: uid, name: MachineNames.user(uid))
            case .address(let address): .address(address)
            }
        let caller = browser.caller(ticket.owner)
        try await flows.opened(ticket.body.flow, by: opener, continues: continues, caller: caller)
    }
}
