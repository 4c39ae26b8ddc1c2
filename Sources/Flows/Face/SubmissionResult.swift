public import FlowModel
public import Policies

/// What became of an answer or an action.
public struct SubmissionResult: Sendable {
    /// The flow as it is now.
    public let flow: Flow
    /// What became of it.
    public let verdict: Verdict
    /// How the flow ended, if it has succeeded.
    public let finished: Finished?
}

/// How a flow that succeeded ended.
public struct Finished: Hashable, Sendable, Codable {
    /// Who proved who they are.
    public let user: UserID
    /// The name they sign in with.
    public let username: String
    /// What they are called.
    public let displayName: String?
    /// The request that the outcome is bound to, waiting to be redeemed.
    public let pendingRequest: String?
    /// The session that it left.
    public let session: String?
    /// The policy that ran.
    public let policy: PolicyID
}
