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

/// The stored association between a flow and the browser that shows the flow's pages.
struct Ticket: Sendable {
    let hash: String
    /// The SHA-256 hash of the browser's cookie, or an empty string if the ticket is not yet bound to a browser.
    let browser: String
    let owner: Owner
    let body: Body
    let expires: Deadline

    struct Body: Codable {
        let flow: String
        let end: End
        var handed: Handed?
        /// When a provider last redirected the browser back, in milliseconds since 1970 UTC, or `nil` if none has.
        var returned: Int64?
        /// The flow's revision when a terminal's ticket was created, or `nil` for other tickets.
        ///
        /// Revisions that only record that the flow's link was opened are not counted.
        var revision: Int?
    }

    /// The accepted answer after which a ticket got its current cookie.
    struct Handed: Codable {
        /// The SHA-256 hash of the previous cookie.
        let browser: String
        let submission: String
    }

    enum End: Codable {
        case client(AuthorizationRequest, pending: String)
        case device(DeviceRequest, pending: String)
        /// The result goes to the program that started the flow over the broker's socket.
        case terminal(TerminalRequest)
        case account
        /// The browser returns to the account page, with the ticket `visit` if there is no session.
        case link(visit: String?)
        /// The flow has ended, and the ticket gives the user access to the account page for a few minutes.
        case visit(UserID)
    }

    var isElsewhere: Bool { OutsideFlows.has(body.flow) }

    var client: String? {
        switch body.end {
        case .client(let request, _): request.resolved.client
        case .device(let device, _): device.client
        case .terminal(let terminal): terminal.client
        case .account, .link, .visit: nil
        }
    }

    /// Returns the ticket's hash if a browser that runs under another uid opened a terminal's flow, or `nil` otherwise.
    ///
    /// When a user links an account in such a browser, checks that were passed in the terminal do not count.
    func stranger(_ browser: Browser) -> String? {
        guard case .terminal = body.end, browser.origin != owner.origin else { return nil }
        return hash
    }

    var request: AuthorizationRequest? {
        switch body.end {
        case .client(let request, _): request
        case .terminal, .device, .account, .link, .visit: nil
        }
    }
}

/// The description of a terminal's flow for a browser that does not run as the uid that started the flow.
public struct TerminalRequest: Hashable, Sendable, Codable {
    /// The two words that the terminal shows.
    public let words: [String]
    /// The id of the client that the program claims to be.
    public let client: String
    /// The uid that the program runs as.
    public let uid: UInt32
    /// The login name of the user who runs the program, or `nil` if the uid has no login name.
    public let user: String?
    /// The name of the machine on which the program runs.
    public let machine: String
    /// When the program requested the link or the user code, in milliseconds since 1970 UTC.
    public let asked: Int64
    /// Whether the flow links an account at a provider to the user's account, where `nil` means `false`.
    public var links: Bool?
}

/// Stores and finds tickets, and derives CSRF tokens and other secrets.
struct Tickets: Sendable {
    /// The lifetime of a ticket, which is longer than a flow's lifetime.
    static let life: Duration = .seconds(1200)
    /// The time within which a browser must follow the redirect to the flow's pages.
    private static let arrival: Duration = .seconds(60)

    private let store: AuthorityStore
    private let clock: MomentClock
    /// The key for CSRF tokens and other derived secrets, which all daemons of the authority share.
    private let formKey: SymmetricKey

    init(store: AuthorityStore, clock: MomentClock) {
        self.store = store
        self.clock = clock
        formKey = SymmetricKey(data: store.derived.formKey.revealBytes())
    }

    /// Creates a ticket bound to a new cookie, because an attacker might have set the browser's current cookie.
    func open(_ body: Ticket.Body, owner: Owner, _ browser: Browser) async throws -> (Secret, cookie: Secret) {
        let ticket = Handle.random()
        let cookie = Handle.random()
        try await keep(ticket, body, owner: owner, browser: browser.hash(cookie))
        return (ticket, cookie)
    }

    /// Stores a ticket bound to the cookie with the hash `browser`, or not yet bound if `browser` is `nil`.
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

    /// Returns the ticket, or throws a ``BrowserProblem`` if the ticket does not belong to this browser.
    ///
    /// The previous cookie is accepted too if this `submission` replaced it, as happens after a double click.
    func ticket(_ text: String, _ browser: Browser, repeating submission: String? = nil) async throws -> Ticket {
        let ticket = try await any(text)
        guard !ticket.browser.isEmpty else { throw BrowserProblem.unclaimed }
        if browser.holds(ticket.browser) { return ticket }
        guard let handed = ticket.body.handed, let submission, Secret(submission) == Secret(handed.submission),
            browser.holds(handed.browser)
        else { throw BrowserProblem.notHere }
        return ticket
    }

    /// Issues a new cookie for a ticket after an accepted answer, so that older cookies no longer open the ticket.
    ///
    /// Repeating the same submission returns the same cookie. After another answer, the result is `nil`. `returned` is
    /// the current time if a provider has just redirected the browser back.
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
        // If the same answer arrived twice at the same time, both requests return the same cookie.
        let row = try await BrowserFlows.rows.storing { try await store.tickets.get(ticket.hash) }
        return row?.browser == browser.hash(cookie) ? cookie : nil
    }

    private func cookie(of ticket: Ticket, _ handed: Ticket.Handed) -> Secret {
        derived("flow cookie\u{1F}\(ticket.hash)\u{1F}\(handed.browser)", handed.submission)
    }

    /// Whether the browser might still be following a redirect, which is always `true` for a terminal's link.
    func isArriving(_ ticket: Ticket) -> Bool {
        if let returned = ticket.body.returned, clock.now.wall - returned < Self.arrival.milliseconds { return true }
        return switch ticket.body.end {
        case .client, .device, .account, .link:
            ticket.expires.millisecondsLeft(at: clock.now) > (Self.life - Self.arrival).milliseconds
        case .terminal: true
        case .visit: false
        }
    }

    /// Returns the ticket without checking which browser it is bound to.
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

    /// Binds an unbound ticket to the browser whose cookie has the hash `cookie`.
    ///
    /// - Throws: `BrowserProblem.notHere` if the ticket was bound to another browser first.
    func claim(_ ticket: Ticket, _ cookie: String) async throws {
        let isFirst = try await BrowserFlows.rows.storing {
            try await store.tickets.claim(ticket.hash, browser: cookie)
        }
        guard isFirst else { throw BrowserProblem.notHere }
    }

    /// Returns the CSRF token for the step's form, which only the browser that the ticket is bound to receives.
    func token(_ ticket: Ticket, _ step: String) -> String {
        let text = "form\u{1F}\(ticket.hash)\u{1F}\(step)"
        return Base64URL.encode(Data(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: formKey)))
    }

    /// Returns the CSRF token for a form with this purpose that is shown in the owner's browser.
    func token(of purpose: String, _ owner: Owner) -> String {
        let text = "form\u{1F}\(purpose)\u{1F}\(owner.key)"
        return Base64URL.encode(Data(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: formKey)))
    }

    /// Derives the same secret from the same arguments, so that repeating the last answer has the same result.
    ///
    /// `pending` is usually the id of a pending request or a flow.
    func derived(_ purpose: String, _ pending: String) -> Secret {
        let text = "\(purpose)\u{1F}\(pending)"
        return Secret(
            Base64URL.encode(Data(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: formKey)).prefix(16))
        )
    }
}
