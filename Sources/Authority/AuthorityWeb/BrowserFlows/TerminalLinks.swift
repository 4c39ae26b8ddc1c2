import Authority
import AuthorityStore
public import FlowModel
import Flows
import Moments
public import OAuth
import StoreRefusals
import Systemd

/// The result of the form in which a user types the two words that a terminal shows.
public enum WordsOutcome: Sendable {
    /// The words are correct, and the flow is now bound to this browser.
    case admitted
    /// The user ended the flow.
    case turnedAway(FlowLook)
    case asksAgain(TerminalRequest, FlowLook, WordsProblem)
}

/// The reason why the user must type the words again.
public enum WordsProblem: Hashable, Sendable {
    case missing
    /// The words are wrong, and `left` attempts remain.
    case wrong(left: Int)
}

/// The result of opening the link to a flow that is not yet bound to a browser.
public enum Arrival: Sendable {
    /// The flow is now bound to this browser.
    case admitted(cookie: Secret)
    /// The user must type the two words that the terminal shows, in a form that contains the CSRF token `csrf`.
    case asks(TerminalRequest, FlowLook, csrf: String, cookie: Secret)
}

/// The links and user codes with which a browser continues a flow that was started in a terminal.
public struct TerminalLinks: Sendable {
    let browsers: BrowserFlows

    private var authority: Authority { browsers.authority }
    private var flows: FlowDirectory { browsers.flows }
    private var store: AuthorityStore { browsers.store }
    private var clock: MomentClock { browsers.clock }
    private var tickets: Tickets { browsers.tickets }

    /// Creates the address at which a browser continues a flow that a program started over the broker's socket.
    ///
    /// Unless the browser runs as the same uid as the program, the user must type two words. The name `client` is not
    /// verified.
    ///
    /// - Throws: ``BrowserProblem`` or `Refusal`.
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

    /// Returns the ticket of the waiting terminal with this user code, or `nil` if there is no such terminal.
    ///
    /// The caller must count the lookup against the limit for the request's origin.
    func ticket(userCode: String) async throws -> Secret? {
        guard let code = UserCode.canonical(userCode) else { return nil }
        let ticket = ticket(ofCode: code)
        let row = try await BrowserFlows.rows.storing { try await store.tickets.get(Handle.hash(ticket)) }
        return row == nil ? nil : ticket
    }

    /// Derives a ticket from a user code and a secret key, so that the user code alone does not reveal the ticket.
    private func ticket(ofCode userCode: String) -> Secret { tickets.derived("terminal", userCode) }

    /// Binds a terminal's flow to a browser, unless the user must first type the two words.
    ///
    /// A browser of the uid that started the flow needs no words. Any other browser is recorded in the flow, so that
    /// the terminal can report who opened the link.
    ///
    /// - Throws: ``BrowserProblem`` or `Refusal`.
    public func arrive(at text: String, _ browser: Browser) async throws -> Arrival {
        let ticket = try await tickets.any(text)
        guard case .terminal(let terminal) = ticket.body.end, ticket.browser.isEmpty else {
            throw BrowserProblem.notHere
        }
        let look = try await requireOpen(ticket, browser)
        let cookie = Handle.random()
        guard browser.origin == ticket.owner.origin else {
            try await record(browser, at: ticket, continues: false)
            return .asks(
                terminal,
                look,
                csrf: tickets.token(of: "claim \(ticket.hash)", browser.owner(cookie)),
                cookie: cookie
            )
        }
        try await tickets.claim(ticket, browser.hash(cookie))
        return .admitted(cookie: cookie)
    }

    /// Checks the words that a user typed to continue a terminal's flow, or ends the flow if `typed` is `nil`.
    ///
    /// Each attempt first counts for the link and the request's origin, and the third wrong attempt ends the flow.
    ///
    /// - Throws: ``BrowserProblem`` or `Refusal`. A `blocked` refusal contains the time to wait.
    public func decide(_ text: String, csrf: String, typed: String?, _ browser: Browser) async throws -> WordsOutcome {
        let ticket = try await tickets.any(text)
        let cookie = browser.cookies.first {
            Secret(csrf) == Secret(tickets.token(of: "claim \(ticket.hash)", browser.owner($0)))
        }
        guard let cookie else { throw ticket.browser.isEmpty ? BrowserProblem.forged : .notHere }
        guard case .terminal(let terminal) = ticket.body.end, ticket.browser.isEmpty else {
            throw BrowserProblem.notHere
        }
        let look = try await requireOpen(ticket, browser)
        let caller = browser.caller(ticket.owner)
        guard let typed else {
            _ = try await flows.cancel(ticket.body.flow, caller: caller, reason: "rejected")
            return .turnedAway(look)
        }
        let words = PlainWords.canonical(typed)
        guard !words.isEmpty else { return .asksAgain(terminal, look, .missing) }
        let verdict = try await authority.tryWords(of: ticket.hash, from: browser.origin) {
            Secret(words) == Secret(terminal.words.joined(separator: " "))
        }
        switch verdict {
        case .right:
            try await tickets.claim(ticket, browser.hash(cookie))
            // Recording the browser changes the flow's revision, which would make an answer in evaluation stale.
            _ = try await browsers.pages.settled(ticket)
            try await record(browser, at: ticket, continues: true)
            return .admitted
        case .wrong(let left) where left > 0: return .asksAgain(terminal, look, .wrong(left: left))
        case .wrong:
            // If a concurrent attempt with the correct words came first, `claim` throws, and the flow continues.
            try await tickets.claim(ticket, Handle.hash(Handle.random()))
            throw browsers.pages.ended(try await flows.refuseWords(ticket.body.flow, caller: caller), ticket, browser)
        case .usedUp: throw BrowserProblem.notHere
        }
    }

    /// Returns the look of the ticket's flow, or throws if the flow has ended.
    private func requireOpen(_ ticket: Ticket, _ browser: Browser) async throws -> FlowLook {
        let flow = try await flows.get(ticket.body.flow, owner: ticket.owner)
        guard !flow.state.isTerminal else { throw browsers.pages.ended(flow, ticket, browser) }
        return browsers.look(of: flow, ticket)
    }

    /// Records in the flow who opened the link, unless the browser runs as the uid that started the flow.
    private func record(_ browser: Browser, at ticket: Ticket, continues: Bool) async throws {
        guard browser.origin != ticket.owner.origin else { return }
        let opener: LinkOpener =
            switch browser.origin {
            // The browser is a local process whose uid the kernel does not report.
            case .local(let machine, _) where browser.origin == .unknownLocal(machine: machine): .address("localhost")
            case .local(_, let uid): .user(uid: uid, name: MachineNames.user(uid))
            case .address(let address): .address(address)
            }
        let caller = browser.caller(ticket.owner)
        try await flows.opened(ticket.body.flow, by: opener, continues: continues, caller: caller)
    }
}
