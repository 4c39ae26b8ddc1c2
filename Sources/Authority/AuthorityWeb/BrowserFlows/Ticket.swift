import Authority
import AuthorityStore
import Crypto
import FlowModel
import Flows
import Foundation
import Moments
import OAuth
import Policies
import StoreRefusals

/// A flow that a browser has opened.
struct Ticket: Sendable {
    /// SHA-256 of the ticket.
    let hash: String
    /// SHA-256 of the browser's cookie; empty while no browser has it.
    let browser: String
    let owner: Owner
    let body: Body
    let expires: Deadline

    /// The sealed part of a ticket.
    struct Body: Codable {
        /// The flow's id.
        let flow: String
        let end: End
        /// The last hand-over; nil while the first browser has the ticket.
        var handed: Handed?
        /// The time at which a provider sent the browser back, in milliseconds since 1970 UTC; nil if none did.
        var returned: Int64?
        /// The flow's revision, without openings of its link, when the place of a terminal was made; `nil` for a flow that
        /// was begun with the ticket.
        var revision: Int?
    }

    /// The accepted answer with which a ticket got a new cookie.
    struct Handed: Codable {
        /// SHA-256 of the cookie before.
        let browser: String
        /// The name of the answer.
        let submission: String
    }

    /// The one who waits for the flow's end.
    enum End: Codable {
        /// A client, for an answer to its request; with the pending request's id.
        case client(AuthorizationRequest, pending: String)
        /// A device, whose request the flow approves; with the pending request's id.
        case device(DeviceRequest, pending: String)
        /// A program of a terminal, which began the flow at the socket.
        case terminal(TerminalRequest)
        /// A person, for their own page.
        case account
        /// A person, for their own page again, by the ticket of a visit if there is no session.
        case link(visit: String?)
        /// Nobody: the flow has ended, and the person may see their own page for a few minutes.
        case visit(UserID)
    }

    /// True for a flow that is answered at an outside authority.
    var isElsewhere: Bool { OutsideFlows.has(body.flow) }

    /// The client that the flow is for; nil for a person's own page.
    var client: String? {
        switch body.end {
        case .client(let request, _): request.resolved.client
        case .device(let device, _): device.client
        case .terminal(let terminal): terminal.client
        case .account, .link, .visit: nil
        }
    }

    /// The ticket's hash, for a browser at the flow of a terminal that the kernel does not name the same uid's: what the
    /// terminal has proved does not count for it where an account is linked; nil for any other.
    func stranger(_ browser: Browser) -> String? {
        guard case .terminal = body.end, browser.origin != owner.origin else { return nil }
        return hash
    }

    /// The request that a client is answered; nil for a flow that no request waits for.
    var request: AuthorizationRequest? {
        switch body.end {
        case .client(let request, _): request
        case .terminal, .device, .account, .link, .visit: nil
        }
    }
}

/// A flow of a terminal, as its page describes it to a person whose browser is not of the flow's uid.
public struct TerminalRequest: Hashable, Sendable, Codable {
    /// The two words that the terminal shows.
    public let words: [String]
    /// The client that the program says it is.
    public let client: String
    /// The uid that runs it.
    public let uid: UInt32
    /// The name of that uid, if the system knows one.
    public let user: String?
    /// The name of the machine.
    public let machine: String
    /// Time of the request, in milliseconds since 1970 UTC.
    public let asked: Int64
    /// True if it links the account of whoever goes on at a provider; nil for no.
    public var links: Bool?
}

/// The tickets of browsers in the store, with the secrets and the tokens that follow from them.
struct Tickets: Sendable {
    /// The life of a ticket: longer than that of a flow.
    static let life: Duration = .seconds(1200)
    /// The time within which a browser has followed the redirect to the pages.
    private static let arrival: Duration = .seconds(60)

    private let store: AuthorityStore
    private let clock: MomentClock
    /// The key of the tokens against forged requests, the same for all daemons of the authority.
    private let formKey: SymmetricKey

    init(store: AuthorityStore, clock: MomentClock) {
        self.store = store
        self.clock = clock
        formKey = SymmetricKey(data: store.derived.formKey.revealBytes())
    }

    /// Keeps a ticket for a flow.
    ///
    /// - Parameters:
    ///   - body: The flow and what follows its end.
    ///   - owner: The flow's owner.
    ///   - browser: The browser that asks, and has it.
    /// - Returns: The ticket, and the cookie that opens it: never one that came with a request, which anybody who sets
    ///   cookies at this host may have chosen.
    /// - Throws: `Refusal`.
    func open(_ body: Ticket.Body, owner: Owner, _ browser: Browser) async throws -> (Secret, cookie: Secret) {
        let ticket = Handle.random()
        let cookie = Handle.random()
        try await keep(ticket, body, owner: owner, browser: browser.hash(cookie))
        return (ticket, cookie)
    }

    /// Keeps a flow under this ticket, for the browser with the cookie of this hash; nil if that is yet to be proved.
    func keep(
        _ ticket: Secret,
        _ body: Ticket.Body,
        owner: Owner,
        browser: String?,
        for life: Duration = life
    ) async throws {
        try await BrowserFlows.rows.storing {
            try await store.tickets.insert(
                TicketRow(
                    hash: Handle.hash(ticket),
                    owner: owner,
                    browser: browser,
                    body: try JSONEncoder().encode(body),
                    expires: Deadline(life, after: clock.now)
                )
            )
        }
    }

    /// The flow of a ticket, if it belongs to this browser.
    ///
    /// - Parameters:
    ///   - text: The ticket.
    ///   - browser: The browser.
    ///   - submission: The name of the answer that it posts; the one that the ticket's cookie was last changed for is
    ///     taken with the cookie before, since a double click knows no other.
    /// - Returns: The ticket.
    /// - Throws: ``BrowserProblem``.
    func ticket(_ text: String, _ browser: Browser, repeating submission: String? = nil) async throws -> Ticket {
        let ticket = try await any(text)
        guard !ticket.browser.isEmpty else { throw BrowserProblem.unclaimed }
        if browser.holds(ticket.browser) { return ticket }
        guard let handed = ticket.body.handed, let submission, Secret(submission) == Secret(handed.submission),
            browser.holds(handed.browser)
        else { throw BrowserProblem.notHere }
        return ticket
    }

    /// Gives a ticket a new cookie, so that a cookie from before an accepted answer opens nothing after it.
    ///
    /// - Parameters:
    ///   - ticket: The ticket.
    ///   - submission: The name of the answer; the same one gives the same cookie.
    ///   - browser: The browser, which gets it.
    ///   - returned: The time, if a provider has just sent the browser back.
    /// - Returns: The cookie; nil if another answer has changed it meanwhile.
    /// - Throws: `Refusal`.
    func handOver(
        _ ticket: Ticket,
        for submission: String,
        _ browser: Browser,
        returned: Int64? = nil
    ) async throws -> Secret? {
        if let handed = ticket.body.handed, Secret(handed.submission) == Secret(submission) {
            return cookie(of: ticket, handed)
        }
        let handed = Ticket.Handed(browser: ticket.browser, submission: submission)
        let cookie = cookie(of: ticket, handed)
        var body = ticket.body
        body.handed = handed
        body.returned = returned
        let isHanded = try await BrowserFlows.rows.storing { [body] in
            try await store.tickets.hand(
                ticket.hash,
                from: ticket.browser,
                to: browser.hash(cookie),
                body: try JSONEncoder().encode(body)
            )
        }
        if isHanded { return cookie }
        // The same answer may have come twice at once.
        let row = try await BrowserFlows.rows.storing { try await store.tickets.get(ticket.hash) }
        return row?.browser == browser.hash(cookie) ? cookie : nil
    }

    private func cookie(of ticket: Ticket, _ handed: Ticket.Handed) -> Secret {
        derived("flow cookie\u{1F}\(ticket.hash)\u{1F}\(handed.browser)", handed.submission)
    }

    /// True as long as a browser may still be on its way from the endpoint where the ticket was made; the link of a
    /// terminal is meant to be opened from anywhere.
    func isArriving(_ ticket: Ticket) -> Bool {
        if let returned = ticket.body.returned, clock.now.wall - returned < Self.arrival.milliseconds { return true }
        return switch ticket.body.end {
        case .client, .device, .account, .link:
            ticket.expires.millisecondsLeft(at: clock.now) > (Self.life - Self.arrival).milliseconds
        case .terminal: true
        case .visit: false
        }
    }

    /// The flow of a ticket, whoever may open it.
    func any(_ text: String) async throws -> Ticket {
        guard text.utf8.count == Handle.length else { throw BrowserProblem.notHere }
        let hash = Handle.hash(Secret(text))
        guard let row = try await BrowserFlows.rows.storing({ try await store.tickets.get(hash) }) else {
            throw BrowserProblem.notHere
        }
        return Ticket(
            hash: hash,
            browser: row.browser ?? "",
            owner: row.owner,
            body: try JSONDecoder().decode(Ticket.Body.self, from: row.body),
            expires: row.expires
        )
    }

    /// Gives a ticket that no browser has to the browser with the cookie of this hash.
    ///
    /// - Throws: `BrowserProblem.notHere` if another was faster.
    func claim(_ ticket: Ticket, _ cookie: String) async throws {
        let isFirst = try await BrowserFlows.rows.storing {
            try await store.tickets.claim(ticket.hash, browser: cookie)
        }
        guard isFirst else { throw BrowserProblem.notHere }
    }

    /// The token that proves that a form came from the page of this step, which only the ticket's browser is shown.
    func token(_ ticket: Ticket, _ step: String) -> String {
        let text = "form\u{1F}\(ticket.hash)\u{1F}\(step)"
        return Base64URL.encode(Data(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: formKey)))
    }

    /// The token that proves that a form for `purpose` came from a page that a signed-in browser was shown.
    func token(of purpose: String, _ owner: Owner) -> String {
        let text = "form\u{1F}\(purpose)\u{1F}\(owner.key)"
        return Base64URL.encode(Data(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: formKey)))
    }

    /// A secret that follows from a request's end, the same however often the last answer is repeated.
    func derived(_ purpose: String, _ pending: String) -> Secret {
        let text = "\(purpose)\u{1F}\(pending)"
        return Secret(
            Base64URL.encode(Data(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: formKey)).prefix(16))
        )
    }
}
