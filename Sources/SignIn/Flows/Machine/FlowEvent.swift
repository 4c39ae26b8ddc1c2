import FlowModel
import OAuth
import OpenIDClient

/// An event that changes a flow.
enum FlowEvent: Hashable, Sendable {
    /// Time has passed.
    case timePassed
    /// The flow was created.
    ///
    /// Its first step must be opened.
    case began
    /// An answer was submitted.
    case submitted(step: String, id: String, answers: [String: JSONValue])
    /// An action was submitted instead of an answer.
    case acted(step: String, id: String, action: String, value: String? = nil)
    /// The caller has sent a token from the identity provider instead of having the user visit the provider.
    case brought(BroughtToken, id: String)
    /// The evaluation in progress has returned its result.
    case evaluated(EvaluationResult)
    /// The flow was cancelled, by its owner or by a sign-out.
    case cancelled
    /// Another account has taken the sign-in name in the meantime, so the outcome was not written.
    case nameTaken
    /// The outcome was not written, because it would have removed the user's last way to sign in.
    case lastWayIn
    /// The wrong confirmation words were entered too often.
    case wordsRefused
    /// The user must authenticate again from the beginning, because answers came from other callers.
    case doubted
    /// The flow cannot continue.
    case failed(FailureReason)

    /// The submission id of the answer or action, or `nil` for any other event.
    var submission: String? {
        switch self {
        case .submitted(_, let id, _), .acted(_, let id, _, _), .brought(_, let id): id
        case .timePassed, .began, .evaluated, .cancelled, .nameTaken, .lastWayIn, .wordsRefused, .doubted, .failed: nil
        }
    }
}
