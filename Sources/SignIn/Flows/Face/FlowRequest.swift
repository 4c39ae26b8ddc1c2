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
    /// The conditions that the flow must satisfy.
    public let requirement: Requirement
    /// The conditions in the form in which they are reported to the flow's owner.
    public let want: Flow.Want
    /// The pending authorization request that the flow's outcome answers, or `nil` if the flow only creates a session.
    public let pending: PendingRequest?
    /// The key that lets equivalent requests join one flow, or `nil` if the flow is not shared.
    public let joinKey: String?
    /// The caller's id for this request, which returns the same flow if repeated within 120 s, or `nil` if there is
    /// none.
    public let requestID: String?
    /// The caller's request as received, which must be identical if it is repeated with the same id.
    public let asked: JSONValue
    /// Whether the flow can create a session, unlike, for example, a flow for device authorization.
    public let leavesSession: Bool
    /// The name that identifies the browser as a device, or `nil` for a local caller or a browser without such a name.
    public let device: String?
    /// The prefilled values, by node name.
    public let prefill: [String: JSONValue]
    /// The name of the identity provider to sign in with, or `nil` if the user chooses how to sign in.
    public let provider: String?
    /// A token that the caller already has from the provider, or `nil` if the user must visit the provider.
    public let token: BroughtToken?
    /// The user that was authenticated just before the flow, or `nil` if the flow authenticates the user.
    ///
    /// If the value is not `nil`, the flow does not create a session.
    public let proven: UserID?

    /// Creates a request to start a flow.
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

/// The result of a request to start a flow.
public struct Started: Sendable {
    /// The flow that was started or that already existed.
    public let flow: Flow
    /// Whether an earlier request with the same join key had already started the flow.
    public let joined: Bool
    /// The outcome if the flow succeeded immediately, without a prompt or with a provider's token, or `nil` otherwise.
    public internal(set) var finished: FlowOutcome?
}

extension FlowRequest {
    /// A digest that shows whether two requests with the same id are identical, or `nil` if the request has no id.
    var digest: String? {
        guard requestID != nil else { return nil }
        let method: JSONValue = pending == nil ? "flow.start" : "token.acquire"
        let text = JSONValue.array([method, asked]).bytes
        return Base64URL.encode(Data(SHA256.hash(data: Data(text))))
    }
}
