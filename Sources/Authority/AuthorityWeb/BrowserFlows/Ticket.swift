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

/// The link between a browser and a flow that it has opened.
struct Ticket: Sendable {
    /// The SHA-256 hash of the ticket.
    let hash: String
    /// The SHA-256 hash of the browser's cookie.
    ///
    /// The hash is empty if the ticket is not yet bound to a browser.
    let browser: String
    let owner: Owner
    let body: Body
    let expires: Deadline

    /// The encrypted part of a ticket.
    struct Body: Codable {
        let flow: String
        let end: End
        /// The last change of the cookie, or `nil` if the cookie has not changed.
        var handed: Handed?
        /// When a provider last redirected the browser back, in milliseconds since 1970 UTC, or `nil` if none has.
        var returned: Int64?
        /// The flow's revision when the terminal's link was created, or `nil` for a flow that was started together with
        /// the ticket.
        ///
        /// Opening the link does not count as a revision.
        var revision: Int?
    }

    /// The accepted answer for which a ticket got a new cookie.
    struct Handed: Codable {
        /// The SHA-256 hash of the previous cookie.
        let browser: String
        /// The id of the submission.
        let submission: String
    }

    /// What happens when the flow has ended.
    enum End: Codable {
        /// The client's authorization request gets a response. `pending` is the pending request's id.
        case client(AuthorizationRequest, pending: String)
        /// The device's request is approved. `pending` is the pending request's id.
        case device(DeviceRequest, pending: String)
        /// The program that started the flow at the socket gets the result.
        case terminal(TerminalRequest)
        /// The browser continues to the user's account page.
        case account
        /// The browser returns to the user's account page, with the ticket of a visit if there is no session.
        case link(visit: String?)
        /// The flow has already ended, and the ticket is a visit: the user can use the account page for a few minutes.
        case visit(UserID)
    }

    /// Whether the flow continues at an external authority.
    var isElsewhere: Bool { OutsideFlows.has(body.flow) }

    /// The id of the client that the flow is for, or `nil` for the account page.
    var client: String? {
        switch body.end {
        case .client(let request, _): request.resolved.client
        case .device(let device, _): device.client
        case .terminal(let terminal): terminal.client
        case .account, .link, .visit: nil
        }
    }

    /// Returns the ticket's hash if the browser is not known to have the uid of the terminal's flow, or `nil` if it is.
    ///
    /// If the uid differs, checks that were passed in the terminal do not count for linking an account.
    func stranger(_ browser: Browser) -> String? {
        guard case .terminal = body.end, browser.origin != owner.origin else { return nil }
        return hash
    }

    /// The authorization request that the flow responds to, or `nil` for a flow without one.
    var request: AuthorizationRequest? {
        switch body.end {
        case .client(let request, _): request
        case .terminal, .device, .account, .link, .visit: nil
        }
    }
}

/// A terminal's flow, as shown to a user whose browser does not have the flow's uid.
public struct TerminalRequest: Hashable, Sendable, Codable {
    /// The two words that the terminal shows.
    public let words: [String]
    /// The id of the client that the program claims to be.
    public let client: String
    /// The uid of the program.
    public let uid: UInt32
    /// The user name of that uid, or `nil` if the system has none.
    public let user: String?
    /// The name of the machine.
    public let machine: String
    /// When the request was made, in milliseconds since 1970 UTC.
    public let asked: Int64
    /// Whether the flow links an account at a provider to the user's account, or `nil` if not.
    public var links: Bool?
}

/// The tickets of browsers in the store, with the secrets and tokens that are derived from them.
struct Tickets: Sendable {
    /// The lifetime of a ticket, which is longer than that of a flow.
    static let life: Duration = .seconds(1200)
    /// The time within which a browser must follow the redirect to the pages.
    private static let arrival: Duration = .seconds(60)

    private let store: AuthorityStore
    private let clock: MomentClock
    /// The key that CSRF tokens are derived from.
    ///
    /// All daemons of the authority share it.
    private let formKey: SymmetricKey

    init(store: AuthorityStore, clock: MomentClock) {
        self.store = store
        self.clock = clock
        formKey = SymmetricKey(data: store.derived.formKey.revealBytes())
    }

    /// Creates a ticket for a flow.
    ///
    /// - Parameters:
    ///   - body: The flow, and what happens when it has ended.
    ///   - owner: The flow's owner.
    ///   - browser: The browser that sent the request. The ticket is bound to it.
    /// - Returns: The ticket, and the cookie that opens it. The cookie is always new, because an attacker who can set
    ///   cookies for this host could have set the one in the request.
    /// - Throws: `Refusal`.
    func open(_ body: Ticket.Body, owner: Owner, _ browser: Browser) async throws -> (Secret, cookie: Secret) {
        let ticket = Handle.random()
        let cookie = Handle.random()
        try await keep(ticket, body, owner: owner, browser: browser.hash(cookie))
        return (ticket, cookie)
    }

    /// Stores a flow under a ticket.
    ///
    /// The ticket is bound to the browser with this cookie hash, or to no browser yet if the hash is `nil`.
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

    /// Returns the ticket if it belongs to this browser.
    ///
    /// - Parameters:
    ///   - text: The ticket.
    ///   - browser: The browser.
    ///   - submission: The id of the submission, or `nil`. If the ticket's cookie last changed for this submission, the
    ///     previous cookie is accepted too, because a double click sends the previous cookie.
    /// - Returns: The ticket.
    /// - Throws: ``BrowserProblem`` if the ticket belongs to another browser.
    func ticket(_ text: String, _ browser: Browser, repeating submission: String? = nil) async throws -> Ticket {
        let ticket = try await any(text)
        guard !ticket.browser.isEmpty else { throw BrowserProblem.unclaimed }
        if browser.holds(ticket.browser) { return ticket }
        guard let handed = ticket.body.handed, let submission, Secret(submission) == Secret(handed.submission),
            browser.holds(handed.browser)
        else { throw BrowserProblem.notHere }
        return ticket
    }

    /// Gives a ticket a new cookie.
    ///
    /// Cookies from before the accepted answer no longer open the ticket.
    ///
    /// - Parameters:
    ///   - ticket: The ticket.
    ///   - submission: The id of the submission. Repeating the same id returns the same cookie.
    ///   - browser: The browser that gets the cookie.
    ///   - returned: The current time if a provider has just redirected the browser back, or `nil`.
    /// - Returns: The cookie, or `nil` if another answer has changed the ticket's cookie in the meantime.
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
        // The same answer might have arrived twice at the same time.
        let row = try await BrowserFlows.rows.storing { try await store.tickets.get(ticket.hash) }
        return row?.browser == browser.hash(cookie) ? cookie : nil
    }

    private func cookie(of ticket: Ticket, _ handed: Ticket.Handed) -> Secret {
        derived("flow cookie\u{1F}\(ticket.hash)\u{1F}\(handed.browser)", handed.submission)
    }

    /// Whether the browser might still be following the redirect from the endpoint that created the ticket.
    ///
    /// A terminal's link can be opened from anywhere.
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

    /// Binds a ticket that has no browser yet to the browser with this cookie hash.
    ///
    /// - Throws: `BrowserProblem.notHere` if the ticket was bound to another browser first.
    func claim(_ ticket: Ticket, _ cookie: String) async throws {
        let isFirst = try await BrowserFlows.rows.storing {
            try await store.tickets.claim(ticket.hash, browser: cookie)
        }
        guard isFirst else { throw BrowserProblem.notHere }
    }

    /// Returns the CSRF token for a form on this step's page, which only the ticket's browser gets.
    func token(_ ticket: Ticket, _ step: String) -> String {
        let text = "form\u{1F}\(ticket.hash)\u{1F}\(step)"
        return Base64URL.encode(Data(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: formKey)))
    }

    /// Returns the CSRF token for a form with this purpose, on a page shown to this owner's browser.
    func token(of purpose: String, _ owner: Owner) -> String {
        let text = "form\u{1F}\(purpose)\u{1F}\(owner.key)"
        return Base64URL.encode(Data(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: formKey)))
    }

    /// Derives a secret from a request.
    ///
    /// The same request always gives the same secret, so repeating the last answer changes nothing.
    func derived(_ purpose: String, _ pending: String) -> Secret {
        let text = "\(purpose)\u{1F}\(pending)"
        return Secret(
            Base64URL.encode(Data(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: formKey)).prefix(16))
        )
    }
}
