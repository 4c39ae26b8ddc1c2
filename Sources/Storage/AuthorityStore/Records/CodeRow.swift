public import FlowModel
public import Foundation
public import Moments

/// An authorization code: the right of one client to fetch one person's tokens once (RFC 6749 §4.1.2).
public struct CodeRow: Hashable, Sendable {
    /// SHA-256 of the code, in base64url.
    public let hash: String
    /// The owner of the browser's session, to whom the tokens will belong.
    public let owner: Owner
    /// The client it was made for.
    public let client: String
    /// The policy that made it.
    public let policy: String
    /// The terms of its use and the resolved request, as the authority encodes them; sealed.
    public let body: Data
    /// The proofs of the person's identity; sealed.
    public let authentication: Authentication
    /// The session it was made in.
    public let sessionID: String?
    /// The end of its life.
    public let expires: Deadline

    /// An authorization code that was not used.
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
    /// It was unused, and the family stands.
    case redeemed
    /// It gives nothing.
    case refused(RefusedCode)
}

/// The reasons for refusing an authorization code.
public enum RefusedCode: String, Hashable, Sendable, CaseIterable {
    /// There is no such code.
    case unknown
    /// Its life has ended.
    case expired
    /// The session that it was given in has ended.
    case signedOut
    /// It was used before, so the family that it gave is dead now (RFC 6749 §4.1.2).
    case reused
}
