public import FlowModel
public import Foundation
public import Moments

/// A flow that the pages of a browser continue: the address of its pages, and the browser that may open them.
public struct TicketRow: Hashable, Sendable {
    /// SHA-256 of the ticket, in base64url.
    public let hash: String
    /// The owner of the flow.
    public let owner: Owner
    /// SHA-256 of the browser's cookie, in base64url; nil until a browser has proved that the flow is its person's.
    public let browser: String?
    /// The flow, and everything that follows its end; sealed.
    public let body: Data
    /// The end of its life.
    public let expires: Deadline

    /// A ticket as it is kept.
    public init(hash: String, owner: Owner, browser: String?, body: Data, expires: Deadline) {
        self.hash = hash
        self.owner = owner
        self.browser = browser
        self.body = body
        self.expires = expires
    }
}
