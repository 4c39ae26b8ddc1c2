public import FlowModel
public import Foundation
public import Moments

/// A ticket that lets a flow continue on pages in a browser.
public struct TicketRow: Hashable, Sendable {
    /// SHA-256 of the ticket, in base64url.
    public let hash: String
    /// The owner of the flow.
    public let owner: Owner
    /// SHA-256 of the browser's cookie in base64url, or `nil` until the ticket is bound to a browser.
    public let browser: String?
    /// A description of the flow and of what to do when the flow ends, stored encrypted.
    public let body: Data
    /// When the ticket expires.
    public let expires: Deadline

    /// Creates a ticket.
    public init(hash: String, owner: Owner, browser: String?, body: Data, expires: Deadline) {
        self.hash = hash
        self.owner = owner
        self.browser = browser
        self.body = body
        self.expires = expires
    }
}
