public import FlowModel
public import Foundation
public import Moments

/// An authorization code, which one client can redeem once for a user's tokens (RFC 6749 §4.1.2).
public struct CodeRow: Hashable, Sendable {
    /// SHA-256 of the code, in base64url.
    public let hash: String
    /// The owner of the tokens, and of the browser session in which the code was issued.
    public let owner: Owner
    /// The `client_id` for which the code was issued.
    public let client: String
    /// The policy that issued the code.
    public let policy: String
    /// The resolved request and the conditions for redeeming the code, encoded by the authority and stored encrypted.
    public let body: Data
    /// How the user authenticated, stored encrypted.
    public let authentication: Authentication
    /// The session in which the code was issued, or `nil` if there was none.
    public let sessionID: String?
    /// When the code expires.
    public let expires: Deadline

    /// Creates an unused authorization code.
    public init(
        hash: String,
        owner: Owner,
        client: String,
        policy: String,
        body: Data,
        authentication: Authentication,
        sessionID: String? = nil,
        expires: Deadline
    ) {
        self.hash = hash
        self.owner = owner
        self.client = client
        self.policy = policy
        self.body = body
        self.authentication = authentication
        self.sessionID = sessionID
        self.expires = expires
    }
}

/// The result of presenting an authorization code.
public enum CodeRedemption: Hashable, Sendable {
    /// The code was redeemed, and a token family was created for it.
    case redeemed
    case refused(RefusedCode)
}

/// The reasons to reject an authorization code.
public enum RefusedCode: String, Hashable, Sendable, CaseIterable {
    case unknown
    case expired
    /// The session in which the code was issued has ended.
    case signedOut
    /// The code has already been redeemed, so the token family created for it is now revoked (RFC 6749 §4.1.2).
    case reused
}
