import FlowModel
import Moments

enum FlowPhase: Codable, Hashable, Sendable {
    case asking(OpenStep)
    /// An evaluation is running, either of an answer to the step or, if the step is `nil`, without an answer.
    case evaluating(Claim, over: OpenStep?)
    case ended(FlowEnd)

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

    var claim: Claim? {
        if case .evaluating(let claim, _) = self { claim } else { nil }
    }

    var end: FlowEnd? {
        if case .ended(let end) = self { end } else { nil }
    }
}

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

    var kind: any StepKind { type.kind }
}

/// An evaluation in progress, which only the process that claimed it can finish.
struct Claim: Codable, Hashable, Sendable {
    /// The submission id of the answer, or an empty string if no answer is being evaluated.
    let submission: String
    /// The id of the process that runs the evaluation.
    ///
    /// If the process ends, the evaluation is abandoned.
    let runner: String
    let ends: Deadline
}

struct FlowEnd: Codable, Hashable, Sendable {
    enum Ending: Codable, Hashable, Sendable {
        case succeeded(FlowOutcome)
        case failed(FailureReason)
        case cancelled
        case expired
    }

    let ending: Ending
    /// When the flow can be deleted, because lost responses are sent again only until then.
    let keptUntil: Deadline
    /// The message that tells the user why the flow failed, or `nil` if there is none.
    var message: String?
    var retryAfterMs: Int64?
    /// The kind of attempts that were used up, or `nil` if the flow ended for another reason.
    var usedUp: Flow.Tries?

    var state: FlowState {
        switch ending {
        case .succeeded: .succeeded
        case .failed(let reason): .failed(reason)
        case .cancelled: .cancelled
        case .expired: .expired
        }
    }
}
