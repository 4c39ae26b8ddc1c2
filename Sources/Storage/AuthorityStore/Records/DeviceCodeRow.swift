public import FlowModel
public import Foundation
public import Moments

/// A device authorization request, which a user approves on another device (RFC 8628).
public struct DeviceCodeRow: Hashable, Sendable {
    /// SHA-256 of the device code, in base64url.
    public let hash: String
    /// The origin of the request, in the store's encoding.
    public let origin: String
    /// The `client_id` of the request.
    public let client: String
    /// The policy of the request.
    public let policy: String
    /// The resolved request, encoded by the authority and stored encrypted.
    public let body: Data
    /// The number of seconds that the device must wait between two polls.
    public let interval: Int64
    /// When the request expires.
    public let expires: Deadline
    /// The approval, or `nil` if the user has not approved the request.
    public let approval: Approval?

    /// A user's approval.
    public struct Approval: Hashable, Sendable {
        /// The owner of the browser session in which the user approved the request.
        public let owner: Owner
        /// How the user authenticated, stored encrypted.
        public let authentication: Authentication
    }

    /// Creates a device authorization request.
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

/// The response to a device that polls (RFC 8628 §3.5).
public enum DevicePoll: Hashable, Sendable {
    /// The user has approved the request, and the device can get its tokens.
    case approved(DeviceCodeRow)
    /// The user has not decided yet.
    case pending
    /// The user has not decided yet, and the device polls too often, so it must wait longer from now on.
    case tooOften
    case denied
    case expired
    /// The request has already been redeemed, so the token family that was created for it is now revoked.
    case reused
    /// The client has no request with the given device code and policy.
    case unknown
}
