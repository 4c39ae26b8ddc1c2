import FlowModel
import OAuth
import OpenIDClient

/// An event of a flow.
enum FlowEvent: Hashable, Sendable {
    /// Time has passed.
    case timePassed
    /// It is new; its first step is to be opened.
    case began
    /// An answer was submitted.
    case submitted(step: String, id: String, answers: [String: JSONValue])
    /// An action was taken instead of an answer.
    case acted(step: String, id: String, action: String, value: String? = nil)
    /// The provider's own token was brought.
    case brought(BroughtToken, id: String)
    /// The last evaluation has its result.
    case evaluated(EvaluationResult)
    /// The owner, or a sign-out, ends it.
    case cancelled
    /// Another account took the name meanwhile, so that the flow's end was not written.
    case nameTaken
    /// The flow would have taken its person's last way in.
    case lastWayIn
    /// The words of the flow's terminal were typed wrong too often.
    case wordsRefused
    /// The account is to be proved again from the beginning, since others have answered for it.
    case doubted
    /// The flow cannot go on.
    case failed(FailureReason)

    /// The id of the answer; nil for an event that is none.
    var submission: String? {
        switch self {
        case .submitted(_, let id, _), .acted(_, let id, _, _), .brought(_, let id): id
        case .timePassed, .began, .evaluated, .cancelled, .nameTaken, .lastWayIn, .wordsRefused, .doubted, .failed: nil
        }
    }
}
