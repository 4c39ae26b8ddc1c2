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

/// The association between a browser and a flow that the browser has opened.
struct Ticket: Sendable {
    let hash: String
    /// The SHA-256 hash of the browser's cookie, or empty if the ticket is not yet bound to a browser.
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
        /// The flow's revision when a terminal's link was created, minus the number of times that the flow's links had
        /// been opened by then.
        ///
        /// `nil` for other tickets. Opening a link increments the flow's revision, but does not count as a change to
        /// the flow.
        var revision: Int?
    }

    /// The accepted answer that caused a ticket to be given a new cookie.
    struct Handed: Codable {
        /// The SHA-256 hash of the previous cookie.
        let browser: String
        let submission: String
    }

    enum End: Codable {
        case client(AuthorizationRequest, pending: String)
        case device(DeviceRequest, pending: String)
        /// The program that started the flow over the socket gets the result.
        case terminal(TerminalRequest)
        case account
        /// The browser returns to the user's account page, with the ticket of a visit if there is no session.
        case link(visit: String?)
        /// The flow has already ended, and the ticket represents a visit: the user can use the account page for a few
        /// minutes.
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

    /// Returns the ticket's hash, or `nil` if the browser runs as the flow's uid or the ticket does not belong to a
    /// terminal.
    ///
    /// In a browser that does not run as the flow's uid, checks that were passed in the terminal do not count toward
    /// linking an account.
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

/// A terminal's flow, as shown to a user whose browser does not run as the flow's uid.
public struct TerminalRequest: Hashable, Sendable, Codable {
    /// The two words shown by the terminal.
    public let words: [String]
    /// The id of the client that the program claims to be.
    public let client: String
    /// The uid of the program.
    public let uid: UInt32
    /// The login name of the user who runs the program, or `nil` if the uid has none.
    public let user: String?
    /// The name of the machine.
    public let machine: String
    /// When the request was made, in milliseconds since 1970 UTC.
    public let asked: Int64
    /// Whether the flow links an account at a provider to the user's account.
    ///
    /// `nil` means no.
    public var links: Bool?
}

/// The tickets in the store, and the secrets and tokens that are derived from them.
struct Tickets: Sendable {
    /// The lifetime of a ticket, which is longer than a flow's lifetime.
    static let life: Duration = .seconds(1200)
    /// The time within which a browser must follow the redirect to the pages.
    private static let arrival: Duration = .seconds(60)

    private let store: AuthorityStore
    private let clock: MomentClock
    /// The key that CSRF tokens are derived from, shared by all daemons of the authority.
    private let formKey: SymmetricKey

    init(store: AuthorityStore, clock: MomentClock) {
        self.store = store
        self.clock = clock
        formKey = SymmetricKey(data: store.derived.formKey.revealBytes())
    }

    /// Creates a ticket for a flow, bound to a new cookie.
    ///
    /// The request's cookie cannot be used, because an attacker who can set cookies for this host could have set it.
    func open(_ body: Ticket.Body, owner: Owner, _ browser: Browser) async throws -> (Secret, cookie: Secret) {
        let ticket = Handle.random()
        let cookie = Handle.random()
        try await keep(ticket, body, owner: owner, browser: browser.hash(cookie))
        return (ticket, cookie)
    }

    /// Stores a ticket, and binds it to the browser with this cookie hash.
    ///
    /// If the hash is `nil`, the ticket is not bound to a browser yet.
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

    /// Returns the ticket, or throws a ``BrowserProblem`` if it does not belong to this browser.
    ///
    /// If the ticket's cookie last changed because of this `submission`, the previous cookie is accepted too, because a
    /// double click sends it again.
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
    /// Repeating the same submission returns the same cookie. Returns `nil` if another answer has changed the cookie in
    /// the meantime. `returned` is the current time if a provider has just redirected the browser back.
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
    /// Always `true` for a terminal's link, which can be opened from anywhere.
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

    /// Returns the CSRF token for a step's form, where `step` is the id of the step.
    ///
    /// Only the ticket's browser receives the token.
    func token(_ ticket: Ticket, _ step: String) -> String {
        let text = "form\u{1F}\(ticket.hash)\u{1F}\(step)"
        return Base64URL.encode(Data(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: formKey)))
    }

    /// Returns the CSRF token for a form with the given purpose, on a page shown to the owner's browser.
    func token(of purpose: String, _ owner: Owner) -> String {
        let text = "form\u{1F}\(purpose)\u{1F}\(owner.key)"
        return Base64URL.encode(Data(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: formKey)))
    }

    /// Derives a secret from `purpose` and `pending`, which is usually the id of a pending request or a flow.
    ///
    /// The same arguments always produce the same secret, so that repeating the last answer changes nothing.
    func derived(_ purpose: String, _ pending: String) -> Secret {
        let text = "\(purpose)\u{1F}\(pending)"
        return Secret(
            Base64URL.encode(Data(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: formKey)).prefix(16))
        )
    }
}
