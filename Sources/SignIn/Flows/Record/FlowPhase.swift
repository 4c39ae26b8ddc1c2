import FlowModel
import Moments

/// The phase of a flow: a step is open, an answer is being evaluated, or the flow has ended.
enum FlowPhase: Codable, Hashable, Sendable {
    /// A step is waiting for an answer.
    case asking(OpenStep)
    /// An answer to a step is being evaluated.
    ///
    /// Before the first step and after the last one, the policy's own lookups are being evaluated.
    case evaluating(Claim, over: OpenStep?)
    case ended(FlowEnd)

    /// The state reported to clients.
    var state: FlowState {
        switch self {
        case .asking: .challenge
        case .evaluating: .pending
        case .ended(let end): end.state
        }
    }

    /// The step that is open or whose answer is being evaluated, or `nil` if there is none.
    var step: OpenStep? {
        switch self {
        case .asking(let step): step
        case .evaluating(_, let step): step
        case .ended: nil
        }
    }

    /// The evaluation in progress, or `nil` if there is none.
    var claim: Claim? {
        if case .evaluating(let claim, _) = self { claim } else { nil }
    }

    /// How the flow ended, or `nil` while it is open.
    var end: FlowEnd? {
        if case .ended(let end) = self { end } else { nil }
    }
}

/// A step that is waiting for an answer.
struct OpenStep: Codable, Hashable, Sendable {
    let ordinal: Int
    private let type: StoredStepKind
    let check: String?
    let ends: Deadline
    let messages: [Message]
    var malformed = 0
    /// When the step was opened, in seconds since 1970 UTC.
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

/// An evaluation in progress.
///
/// Only the process that claimed it can finish it.
struct Claim: Codable, Hashable, Sendable {
    /// The submission id of the answer.
    ///
    /// Empty if the evaluation does not belong to an answer.
    let submission: String
    /// The id of the process that runs the evaluation.
    ///
    /// If that process has ended, the evaluation never returns.
    let runner: String
    let ends: Deadline
}

/// How a flow ended, and the details to report.
struct FlowEnd: Codable, Hashable, Sendable {
    /// The ways in which a flow can end.
    enum Ending: Codable, Hashable, Sendable {
        case succeeded(FlowOutcome)
        case failed(FailureReason)
        case cancelled
        case expired
    }

    let ending: Ending
    /// When the flow can be deleted.
    ///
    /// Until then, lost responses can be repeated.
    let keptUntil: Deadline
    /// The connector's message that the flow ended with, or `nil` if there is none.
    var message: String?
    var retryAfterMs: Int64?
    /// The attempts that were used up, or `nil` if that is not why the flow ended.
    var usedUp: Flow.Tries?

    /// The state reported to clients.
    var state: FlowState {
        switch ending {
        case .succeeded: .succeeded
        case .failed(let reason): .failed(reason)
        case .cancelled: .cancelled
        case .expired: .expired
        }
    }
}
