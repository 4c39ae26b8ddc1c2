public import OAuth

/// Answers to the open step of a flow.
public struct FlowSubmission: Hashable, Sendable {
    /// The flow's id.
    public let flow: String
    /// The step that the answers belong to.
    public let step: String
    /// The caller's id for this submission; a submission that is sent again with the same id is not evaluated again.
    public let submissionID: String
    /// The answers, keyed by node name, which can contain secrets such as passwords.
    public let answers: [String: JSONValue]
    /// The UUID that the caller assigned to this call, or `nil` to generate a UUID.
    public var correlationID: CorrelationID?

    /// Creates a submission for the open step of a flow.
    public init(
        flow: String,
        step: String,
        submissionID: String,
        answers: [String: JSONValue],
        correlationID: CorrelationID? = nil
    ) {
        self.flow = flow
        self.step = step
        self.submissionID = submissionID
        self.answers = answers
        self.correlationID = correlationID
    }
}

/// An action that the caller takes instead of answering the open step of a flow.
public struct FlowAction: Hashable, Sendable {
    /// The flow's id.
    public let flow: String
    /// The step that offers the action.
    public let step: String
    /// The name of the action, as listed in the step.
    public let action: String
    /// The caller's id for this action; an action that is sent again with the same id is not executed again.
    public let submissionID: String
    /// The action's value, or `nil` if the action takes no value.
    public let value: String?
    /// The UUID that the caller assigned to this call, or `nil` to generate a UUID.
    public var correlationID: CorrelationID?

    /// Creates an action for the open step of a flow.
    public init(
        flow: String,
        step: String,
        action: String,
        submissionID: String,
        value: String? = nil,
        correlationID: CorrelationID? = nil
    ) {
        self.flow = flow
        self.step = step
        self.action = action
        self.submissionID = submissionID
        self.value = value
        self.correlationID = correlationID
    }
}
