public import FlowModel
public import Policies

/// The result of an answer or an action.
public struct SubmissionResult: Sendable {
    /// The flow as it is now.
    public let flow: Flow
    /// The verdict on it.
    public let verdict: Verdict
    /// The outcome of the flow, if it has succeeded.
    public let finished: FlowOutcome?
}

/// The outcome of a flow that has succeeded.
public struct FlowOutcome: Hashable, Sendable, Codable {
    /// The person who signed in.
    public let user: UserID
    /// The name they sign in with.
    public let username: String
    /// Their display name.
    public let displayName: String?
    /// The request that the outcome is bound to, waiting to be redeemed.
    public let pendingRequest: String?
    /// The session that it left.
    public let session: String?
    /// The policy that ran.
    public let policy: PolicyID
    /// The thing of the person's account that it changed.
    public var edit: AccountEdit?
    /// The person as a custom identity provider knows them, if one was asked.
    public var userIdentity: ExternalIdentity?
    /// The provider outside that proved the person, if one did.
    public var provider: String?
    /// True if the session is the one that the flow went on from; nil for a new one.
    public var continuesSession: Bool?
}
