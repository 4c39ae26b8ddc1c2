public import FlowModel
public import Foundation
public import Moments

/// A request of a device without a keyboard, which a person approves elsewhere (RFC 8628).
public struct DeviceCodeRow: Hashable, Sendable {
    /// SHA-256 of the device code, in base64url.
    public let hash: String
    /// The place that it came from, as the store keeps origins.
    public let origin: String
    /// The client.
    public let client: String
    /// The policy at which it asked.
    public let policy: String
    /// The resolved request, as the authority encodes it; sealed.
    public let body: Data
    /// The seconds that the device waits between two requests.
    public let interval: Int64
    /// The end of its life.
    public let expires: Deadline
    /// The approval; nil until there is one.
    public let approval: Approval?

    /// The approval by a person.
    public struct Approval: Hashable, Sendable {
        /// The owner of the browser's session in which it was approved.
        public let owner: Owner
        /// The proofs of the person's identity; sealed.
        public let authentication: Authentication
    }

    /// A device's request.
    public init(
        hash: String,
        origin: String,
        client: String,
        policy: String,
        body: Data,
        interval: Int64,
        expires: Deadline,
        approval: Approval? = nil
    ) {
        self.hash = hash
        self.origin = origin
        self.client = client
        self.policy = policy
        self.body = body
        self.interval = interval
        self.expires = expires
        self.approval = approval
    }
}

/// The answer to a device that asks if its request was approved (RFC 8628 §3.5).
public enum DevicePoll: Hashable, Sendable {
    /// It was, and the device may have its tokens.
    case approved(DeviceCodeRow)
    /// Nobody has decided yet.
    case pending
    /// Nobody has decided yet, and the device asks too often; it must wait longer from now on.
    case tooOften
    /// A person refused.
    case denied
    /// Its life has ended.
    case expired
    /// It was used, so the family that it gave is dead now.
    case reused
    /// There is no such request of this client at this policy.
    case unknown
}
