public import Foundation
public import Moments

/// An authorization request that a client left at the authority, to be named by its `request_uri` (RFC 9126).
public struct PushedRequestRow: Hashable, Sendable {
    /// SHA-256 of the reference, in base64url.
    public let hash: String
    /// The client that pushed it.
    public let client: String
    /// The policy at which it was pushed.
    public let policy: String
    /// The parameters, as the authority encodes them; sealed.
    public let body: Data
    /// The end of its life.
    public let expires: Deadline

    /// A pushed request.
    public init(hash: String, client: String, policy: String, body: Data, expires: Deadline) {
        self.hash = hash
        self.client = client
        self.policy = policy
        self.body = body
        self.expires = expires
    }
}
