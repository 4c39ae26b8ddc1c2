public import AuthorityStore
import Crypto
public import FlowModel
import Foundation
public import OAuth
public import OpenIDClient
public import Policies

/// A request to start a flow.
public struct FlowRequest: Sendable {
    /// The caller, whose owner has the flow.
    public let caller: Caller
    /// The client id that the caller states.
    public let client: String
    /// The policy to run.
    public let policy: PolicyID
    /// The requirement it has to meet.
    public let requirement: Requirement
    /// The demands as shown to its owner.
    public let want: Flow.Want
    /// The pending request that the outcome is bound to; without one the flow leaves a session only.
    public let pending: PendingRequest?
    /// The key shared by equal requests, which share one flow; without one the flow is not shared.
    public let joinKey: String?
    /// The caller's name for this request; the same one within 120 s gives the same flow.
    public let requestID: String?
    /// The caller's request as it was received, which a request id stands for.
    public let asked: JSONValue
    /// False if the flow leaves no session, whatever its policy says: a browser that has none over http, or a device's flow.
    public let leavesSession: Bool
    /// The name by which a browser is known again as a device; nil for one that has none, and for a uid.
    public let device: String?
    /// Values filled in already, by node.
    public let prefill: [String: JSONValue]
    /// The provider outside with which the person signs in; nil if the person chooses.
    public let provider: String?
    /// The provider's own token, which the caller brings instead of going there.
    public let token: BroughtToken?
    /// The person who has just proved at the caller's place who they are; nil for a flow that asks.
    ///
    /// The flow asks for no proof then, and leaves no session.
    public let proven: UserID?

    /// A request; parameters left out ask for nothing.
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

/// A flow that was started, or that existed already.
public struct Started: Sendable {
    /// The flow.
    public let flow: Flow
    /// True if another request with the same key had started it.
    public let joined: Bool
    /// The outcome of a flow that has ended well at once: by a provider's own token, or because nothing was left to ask.
    public internal(set) var finished: FlowOutcome?
}

extension FlowRequest {
    /// A digest of the caller's request, in its own words; nil if the request has no id.
    ///
    /// The account, policy and requirement that it was resolved to are left out: they may change between a request and
    /// its repetition.
    var digest: String? {
        guard requestID != nil else { return nil }
        let method: JSONValue = pending == nil ? "flow.start" : "token.acquire"
        let text = JSONValue.array([method, asked]).bytes
        return Base64URL.encode(Data(SHA256.hash(data: Data(text))))
    }
}
