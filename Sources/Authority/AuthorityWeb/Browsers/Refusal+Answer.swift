import FlowModel
import HTTPTypes
import HostedPages

extension Refusal {
    /// Whether the user can continue with a different answer or a later attempt.
    var isAboutAnswer: Bool { isThrottling || reason == .invalidAnswer }

    var pageStatus: HTTPResponse.Status {
        reason == .invalidAnswer ? .unprocessableContent : .tooManyRequests
    }
}

extension StepPage {
    mutating func show(_ refusal: Refusal) {
        previous.problems = refusal.nodes
        previous.retryAfterMs = refusal.retryAfterMs
        previous.refusal = refusal.nodes.isEmpty ? refusal.text : nil
    }
}
