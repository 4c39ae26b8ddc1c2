public import FlowModel
public import OAuth

/// What `flow.start` asks for.
public struct StartFlowRequest: Hashable, Sendable {
    /// The policy to run.
    public var policy: String
    /// What to fill in beforehand, by the name of the node.
    public var input: [String: JSONValue]
    /// The account that must answer, by its opaque id.
    public var account: String?
    /// Authentication contexts of which one must be reached.
    public var acrValues: [String]
    /// How many seconds ago the person may have proved who they are.
    public var maxAge: Int64?
    /// The same id again within 120 s gets the same flow.
    public var requestID: String

    /// A flow of `policy` with everything else at its default.
    public init(policy: String, requestID: String) {
        self.policy = policy
        self.requestID = requestID
        input = [:]
        acrValues = []
    }

    /// What is asked for, whoever asks and when.
    var asked: JSONValue {
        [
            "policy": .string(policy), "input": .object(input), "account": account.map { .string($0) } ?? .null,
            "acrValues": .array(acrValues.map { .string($0) }), "maxAge": maxAge.map { .int($0) } ?? .null,
        ]
    }
}

/// What `flow.submit` brings.
public struct SubmitRequest: Hashable, Sendable {
    /// The flow's id.
    public let flow: String
    /// The step that is answered.
    public let step: String
    /// The same id again gets the flow as it is, without a second evaluation.
    public let submissionID: String
    /// The answers by the name of the node.
    public let answers: [String: JSONValue]

    /// What `flow.submit` brings.
    public init(
        flow: String,
        step: String,
        submissionID: String,
        answers: [String: JSONValue]
    ) {
        self.flow = flow
        self.step = step
        self.submissionID = submissionID
        self.answers = answers
    }
}

/// What `flow.submit` answers.
public struct SubmitAnswer: Sendable {
    /// The flow as it is now.
    public let flow: Flow
    /// What became of the answers.
    public let verdict: Verdict
    /// The token, where the flow came from `token.acquire` and has ended with success.
    public let token: AcquiredToken?

    /// What `flow.submit` answers.
    public init(flow: Flow, verdict: Verdict, token: AcquiredToken?) {
        self.flow = flow
        self.verdict = verdict
        self.token = token
    }
}

/// What `flow.action` brings.
public struct ActionRequest: Hashable, Sendable {
    /// The flow's id.
    public let flow: String
    /// The step that is open.
    public let step: String
    /// The action's name as on the wire.
    public let action: String
    /// The same id again gets the flow as it is.
    public let submissionID: String
    /// What the action takes.
    public let value: JSONValue?

    /// What `flow.action` brings.
    public init(
        flow: String,
        step: String,
        action: String,
        submissionID: String,
        value: JSONValue? = nil
    ) {
        self.flow = flow
        self.step = step
        self.action = action
        self.submissionID = submissionID
        self.value = value
    }
}
