public import BrokerAPI
public import FlowModel

/// A step of a flow that must be answered.
public struct Challenge: Sendable {
    /// The flow, with its purpose.
    public let flow: FlowDocument
    /// The open step.
    public let step: StepDocument
    /// The refusal of the previous answer; nil the first time.
    public let refusal: BrokerError?

    /// Makes a challenge for an open step.
    public init(flow: FlowDocument, step: StepDocument, refusal: BrokerError? = nil) {
        self.flow = flow
        self.step = step
        self.refusal = refusal
    }

    /// The problems of the previous answer, by node; empty the first time.
    public var problems: [NodeProblem] { refusal?.nodes ?? [] }

    /// True if the step offers `action`.
    public func offers(_ action: String) -> Bool { step.actions.contains { $0.name == action } }
}
