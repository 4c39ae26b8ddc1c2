public import BrokerAPI
public import FlowModel

/// A step of a flow that somebody must answer.
public struct Challenge: Sendable {
    /// The flow, with what it was started for.
    public let flow: FlowDocument
    /// The step.
    public let step: StepDocument
    /// Why the answer before was not taken; nil the first time.
    public let refusal: BrokerError?

    /// A step that must be answered.
    public init(flow: FlowDocument, step: StepDocument, refusal: BrokerError? = nil) {
        self.flow = flow
        self.step = step
        self.refusal = refusal
    }

    /// What is wrong with which answer; empty the first time.
    public var problems: [NodeProblem] { refusal?.nodes ?? [] }

    /// Whether `action` may be taken.
    public func offers(_ action: String) -> Bool { step.actions.contains { $0.name == action } }
}
