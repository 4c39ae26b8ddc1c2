import FlowModel
import Moments

/// Where a flow stands: it has an open step, or evaluates, or has ended.
enum FlowPhase: Codable, Hashable, Sendable {
    /// A step waits for an answer.
    case asking(OpenStep)
    /// An answer to a step is evaluated; before the first step, and after the last, what the policy needs to know.
    case evaluating(Claim, over: OpenStep?)
    /// The flow has ended.
    case ended(FlowEnd)

    /// The state as clients see it.
    var state: FlowState {
        switch self {
        case .asking: .challenge
        case .evaluating: .pending
        case .ended(let end): end.state
        }
    }

    /// The step that is open, or whose answer is evaluated.
    var step: OpenStep? {
        switch self {
        case .asking(let step): step
        case .evaluating(_, let step): step
        case .ended: nil
        }
    }

    /// The evaluation under way.
    var claim: Claim? {
        if case .evaluating(let claim, _) = self { claim } else { nil }
    }

    /// The end that the flow has come to.
    var end: FlowEnd? {
        if case .ended(let end) = self { end } else { nil }
    }
}

/// The step that waits for an answer.
struct OpenStep: Codable, Hashable, Sendable {
    let ordinal: Int
    private let type: StoredStepKind
    let check: String?
    let ends: Deadline
    let messages: [Message]
    var malformed = 0
    /// The time at which it was opened, in seconds since 1970 UTC.
    let opened: Int64

    init(ordinal: Int, kind: any StepKind, check: String?, at now: Moment, ends: Deadline, messages: [Message] = []) {
        self.ordinal = ordinal
        opened = now.seconds
        type = StoredStepKind(kind)
        self.check = check
        self.ends = ends
        self.messages = messages
    }

    /// The kind of the step.
    var kind: any StepKind { type.kind }
}

/// An evaluation under way; only the run that claimed it may finish it.
struct Claim: Codable, Hashable, Sendable {
    /// The id of the answer; empty where there is none.
    let submission: String
    /// The run of the program that evaluates; once that has ended the evaluation never comes back.
    let runner: String
    let ends: Deadline
}

/// The end of a flow, and what is told about it.
struct FlowEnd: Codable, Hashable, Sendable {
    /// The ways in which a flow ends.
    enum Ending: Codable, Hashable, Sendable {
        case succeeded(FlowOutcome)
        case failed(FailureReason)
        case cancelled
        case expired
    }

    let ending: Ending
    /// The time until which the flow is kept, so that lost replies can be repeated.
    let keptUntil: Deadline
    /// The sentence that it ended with, in words of a connector.
    var message: String?
    var retryAfterMs: Int64?
    /// The tries that were used up, where that ended the flow.
    var usedUp: Flow.Tries?

    /// The state as clients see it.
    var state: FlowState {
        switch ending {
        case .succeeded: .succeeded
        case .failed(let reason): .failed(reason)
        case .cancelled: .cancelled
        case .expired: .expired
        }
    }
}
