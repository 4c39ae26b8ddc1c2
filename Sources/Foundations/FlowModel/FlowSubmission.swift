public import OAuth

/// Answers to the open step of a flow.
public struct FlowSubmission: Hashable, Sendable {
    /// The flow's id.
    public let flow: String
    /// The step that is answered.
    public let step: String
    /// The caller's name for this answer; the same one is evaluated once.
    public let submissionID: String
    /// The answers by the name of the node; they may hold secrets.
    public let answers: [String: JSONValue]
    /// The caller's UUID for this call; one is made if it is nil.
    public var correlationID: CorrelationID?

    /// Answers to the open step of a flow.
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

/// Something that is done instead of answering the open step of a flow.
public struct FlowAction: Hashable, Sendable {
    /// The flow's id.
    public let flow: String
    /// The step that offers the action.
    public let step: String
    /// The name of the action, as the step offers it.
    public let action: String
    /// The caller's name for this action; the same one is done once.
    public let submissionID: String
    /// The choice, for an action that takes one.
    public let value: String?
    /// The caller's UUID for this call; one is made if it is nil.
    public var correlationID: CorrelationID?

    /// Something that is done instead of answering the open step of a flow.
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
