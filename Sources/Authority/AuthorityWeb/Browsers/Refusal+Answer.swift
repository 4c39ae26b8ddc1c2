import FlowModel
import HTTPTypes
import HostedPages

extension Refusal {
    /// Whether the user can answer differently or try again later.
    ///
    /// All other refusals are server errors or end the flow.
    var isAboutAnswer: Bool { isThrottling || reason == .invalidAnswer }

    /// The HTTP status of a page that shows this refusal.
    var pageStatus: HTTPResponse.Status {
        reason == .invalidAnswer ? .unprocessableContent : .tooManyRequests
    }
}

extension StepPage {
    /// Shows why the last answer was rejected.
    mutating func show(_ refusal: Refusal) {
        previous.problems = refusal.nodes
        previous.retryAfterMs = refusal.retryAfterMs
        previous.refusal = refusal.nodes.isEmpty ? refusal.text : nil
    }
}
