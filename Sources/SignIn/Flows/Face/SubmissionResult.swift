public import FlowModel
public import Policies

/// The result of submitting an answer or an action.
public struct SubmissionResult: Sendable {
    /// The state of the flow after the answer or action.
    public let flow: Flow
    /// The result of evaluating the answer or action.
    public let verdict: Verdict
    /// The outcome of the flow, or `nil` if the flow has not succeeded.
    public let finished: FlowOutcome?
}

/// The outcome of a flow that has succeeded.
public struct FlowOutcome: Hashable, Sendable, Codable {
    /// The user who signed in.
    public let user: UserID
    /// The user's sign-in name.
    public let username: String
    /// The user's display name, or `nil` if it is unknown.
    public let displayName: String?
    /// The pending authorization request that can now be redeemed, or `nil` if the flow does not answer a request.
    public let pendingRequest: String?
    /// The id of the session that the flow created or continued, or `nil` if there is no session.
    public let session: String?
    /// The policy of the flow.
    public let policy: PolicyID
    /// The part of the user's account that the flow changed, or `nil` if the flow changed nothing.
    public var edit: AccountEdit?
    /// The user as described by a custom identity provider, or `nil` if no such provider was involved.
    public var userIdentity: ExternalIdentity?
    /// The identity provider that authenticated the user, or `nil` if no provider was involved.
    public var provider: String?
    /// `true` if the flow continued from an existing session, and `nil` otherwise.
    public var continuesSession: Bool?
}
