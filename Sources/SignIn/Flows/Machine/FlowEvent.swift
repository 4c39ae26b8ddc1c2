import FlowModel
import OAuth
import OpenIDClient

enum FlowEvent: Hashable, Sendable {
    case timePassed
    case began
    case submitted(step: String, id: String, answers: [String: JSONValue])
    case acted(step: String, id: String, action: String, value: String? = nil)
    /// The caller has sent a token from the identity provider instead of having the user visit the provider.
    case brought(BroughtToken, id: String)
    case evaluated(EvaluationResult)
    case cancelled
    /// The outcome was not written, because another account now has the sign-in name or the identity.
    case nameTaken
    /// The outcome was not written, because it would have removed the user's last way to sign in.
    case lastWayIn
    /// Wrong confirmation words were entered too many times.
    case wordsRefused
    /// The user must authenticate again from the beginning, because some answers came from other callers.
    case doubted
    case failed(FailureReason)

    var submission: String? {
        switch self {
        case .submitted(_, let id, _), .acted(_, let id, _, _), .brought(_, let id): id
        case .timePassed, .began, .evaluated, .cancelled, .nameTaken, .lastWayIn, .wordsRefused, .doubted, .failed: nil
        }
    }
}
