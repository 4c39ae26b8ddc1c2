public import AuthorityStore
import Crypto
public import FlowModel
import Foundation
public import OAuth
public import OpenIDClient
public import Policies

/// A request to start a flow.
public struct FlowRequest: Sendable {
    /// The caller, who becomes the flow's owner.
    public let caller: Caller
    /// The `client_id` that the caller specifies.
    public let client: String
    /// The policy to run.
    public let policy: PolicyID
    /// The requirement that the flow must satisfy.
    public let requirement: Requirement
    /// The requirement as it is reported to the owner.
    public let want: Flow.Want
    /// The pending authorization request that the outcome is bound to, or `nil` if the flow only creates a session.
    public let pending: PendingRequest?
    /// The key that equivalent requests share so that they join one flow, or `nil` if the flow is not shared.
    public let joinKey: String?
    /// The caller's id for this request: a repeated request with the same id within 120 s returns the same flow.
    public let requestID: String?
    /// The caller's request as it was received.
    ///
    /// Any later request with the same id must be identical.
    public let asked: JSONValue
    /// Whether the flow can create a session.
    ///
    /// `false` for device authorization, and for browsers on plain http.
    public let leavesSession: Bool
    /// The name that identifies a browser as a device, or `nil` for a local caller or a browser without such a name.
    public let device: String?
    /// The prefilled values, by node name.
    public let prefill: [String: JSONValue]
    /// The identity provider to sign in with, or `nil` if the user chooses.
    public let provider: String?
    /// A token that the caller already has from the provider, or `nil` if the user must visit the provider.
    public let token: BroughtToken?
    /// The user that the caller's origin has just authenticated, or `nil` if the flow authenticates the user.
    ///
    /// If this is set, the flow does not create a session.
    public let proven: UserID?

    /// Creates a request.
    ///
    /// Omitted parameters have no effect.
    public init(
        caller: Caller,
        client: String,
        policy: PolicyID,
        requirement: Requirement = Requirement(),
        want: Flow.Want = Flow.Want(),
        pending: PendingRequest? = nil,
        joinKey: String? = nil,
        requestID: String? = nil,
        asked: JSONValue = .null,
        leavesSession: Bool = true,
        device: String? = nil,
        prefill: [String: JSONValue] = [:],
        provider: String? = nil,
        token: BroughtToken? = nil,
        proven: UserID? = nil
    ) {
        self.caller = caller
        self.client = client
        self.policy = policy
        self.requirement = requirement
        self.want = want
        self.pending = pending
        self.joinKey = joinKey
        self.requestID = requestID
        self.asked = asked
        self.leavesSession = leavesSession
        self.device = device
        self.prefill = prefill
        self.provider = provider
        self.token = token
        self.proven = proven
    }
}

/// A flow that was started, or that already existed.
public struct Started: Sendable {
    /// The flow.
    public let flow: Flow
    /// Whether an earlier request with the same join key had already started the flow.
    public let joined: Bool
    /// The outcome, if the flow succeeded immediately because no prompt was needed or the caller sent a provider's
    /// token.
    public internal(set) var finished: FlowOutcome?
}

extension FlowRequest {
    /// A digest of the caller's request, or `nil` if the request has no id.
    ///
    /// The account, policy and requirement are left out, because a repeated request can resolve to different ones.
    var digest: String? {
        guard requestID != nil else { return nil }
        let method: JSONValue = pending == nil ? "flow.start" : "token.acquire"
        let text = JSONValue.array([method, asked]).bytes
        return Base64URL.encode(Data(SHA256.hash(data: Data(text))))
    }
}
