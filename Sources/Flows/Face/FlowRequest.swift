public import AuthorityStore
public import FlowModel
public import OAuth
public import Policies

/// What a flow is started for.
public struct FlowRequest: Sendable {
    /// The caller, whose owner has the flow.
    public let caller: Caller
    /// The program that asks, as it calls itself.
    public let client: String
    /// The policy to run.
    public let policy: PolicyID
    /// What it has to meet.
    public let requirement: Requirement
    /// What its owner sees that it is for.
    public let want: Flow.Want
    /// The request that its outcome is bound to; without one it leaves a session only.
    public let pending: PendingRequest?
    /// Equal keys share one flow; without one the flow is shared with nobody.
    public let joinKey: String?
    /// The caller's id for this request: within 120 s the same id gives the same flow.
    public let requestID: String?
    /// What the caller asked for, before anything was made of it: a request id stands for that.
    public let asked: JSONValue
    /// What is filled in already, by node.
    public let prefill: [String: JSONValue]

    /// What a flow is started for.
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
        prefill: [String: JSONValue] = [:]
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
        self.prefill = prefill
    }
}

/// A flow that was started, or that was there already.
public struct Started: Sendable {
    /// The flow.
    public let flow: Flow
    /// Whether somebody else's request with the same key had started it.
    public let joined: Bool
}
