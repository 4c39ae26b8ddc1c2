public import FlowModel
public import OAuth
public import Policies

/// Answers to a step.
public struct FlowSubmission: Sendable {
    /// The flow.
    public let flow: String
    /// The caller, whose owner has the flow.
    public let caller: Caller
    /// The step that is answered.
    public let step: String
    /// The caller's id for this answer; the same id is evaluated once.
    public let submissionID: String
    /// The answers by node.
    public let answers: [String: JSONValue]

    /// Answers to a step.
    public init(
        flow: String,
        caller: Caller,
        step: String,
        submissionID: String,
        answers: [String: JSONValue]
    ) {
        self.flow = flow
        self.caller = caller
        self.step = step
        self.submissionID = submissionID
        self.answers = answers
    }
}

/// Something that is done instead of answering a step.
public struct FlowAction: Sendable {
    /// The flow.
    public let flow: String
    /// The caller, whose owner has the flow.
    public let caller: Caller
    /// The step that offers the action.
    public let step: String
    /// Its name, as the step offers it.
    public let action: String
    /// The caller's id for this; the same id is done once.
    public let submissionID: String

    /// Something that is done instead of answering a step.
    public init(
        flow: String,
        caller: Caller,
        step: String,
        action: String,
        submissionID: String
    ) {
        self.flow = flow
        self.caller = caller
        self.step = step
        self.action = action
        self.submissionID = submissionID
    }
}

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
