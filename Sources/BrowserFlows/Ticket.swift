import Authority
import AuthorityStore
import FlowModel
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

    /// The sealed part of a ticket.
    struct Body: Codable {
        /// The flow's id.
        let flow: String
        let end: End
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
        /// Nobody: the flow has ended, and the person may see their own page for a few minutes.
        case visit(UserID)
    }

    /// The client that the flow is for; nil for a person's own page.
    var client: String? {
        switch body.end {
        case .client(let request, _): request.resolved.client
        case .device(let device, _): device.client
        case .terminal(let terminal): terminal.client
        case .account, .visit: nil
        }
    }

    /// The request that a client is answered; nil for a flow that no request waits for.
    var request: AuthorizationRequest? {
        switch body.end {
        case .client(let request, _): request
        case .terminal, .device, .account, .visit: nil
        }
    }
}

/// A flow of a terminal, as the person is shown it who may be somebody else's victim.
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
}

extension BrowserFlows {
    /// The life of a ticket: longer than that of a flow.
    static let ticketLife: Duration = .seconds(1200)

    /// Keeps a ticket for a flow.
    ///
    /// - Parameters:
    ///   - body: The flow and what follows its end.
    ///   - owner: The flow's owner.
    ///   - cookie: The cookie of the browser that may open it; nil if that is yet to be proved.
    /// - Returns: The ticket.
    /// - Throws: `Refusal`.
    func open(_ body: Ticket.Body, owner: Owner, cookie: Secret?) async throws -> Secret {
        let ticket = Handle.random()
        try await keep(ticket, body, owner: owner, cookie: cookie)
        return ticket
    }

    /// Keeps a flow under this ticket.
    func keep(
        _ ticket: Secret,
        _ body: Ticket.Body,
        owner: Owner,
        cookie: Secret?,
        for life: Duration = ticketLife
    ) async throws {
        try await Self.rows.storing {
            try await store.tickets.insert(
                TicketRow(
                    hash: Handle.hash(ticket),
                    owner: owner,
                    browser: cookie.map(Handle.hash),
                    body: try JSONEncoder().encode(body),
                    expires: Deadline(life, after: clock.now)
                )
            )
        }
    }

    /// The flow of a ticket, if it belongs to this browser.
    func ticket(_ text: String, _ browser: Browser) async throws -> Ticket {
        let ticket = try await anyTicket(text)
        guard !ticket.browser.isEmpty else { throw BrowserProblem.unclaimed }
        guard browser.cookies.contains(where: { Secret(Handle.hash($0)) == Secret(ticket.browser) }) else {
            throw BrowserProblem.notHere
        }
        return ticket
    }

    /// The flow of a ticket, whoever may open it.
    func anyTicket(_ text: String) async throws -> Ticket {
        guard text.utf8.count == Handle.length else { throw BrowserProblem.notHere }
        let hash = Handle.hash(Secret(text))
        guard let row = try await Self.rows.storing({ try await store.tickets.get(hash) }) else {
            throw BrowserProblem.notHere
        }
        return Ticket(
            hash: hash,
            browser: row.browser ?? "",
            owner: row.owner,
            body: try JSONDecoder().decode(Ticket.Body.self, from: row.body)
        )
    }
}
