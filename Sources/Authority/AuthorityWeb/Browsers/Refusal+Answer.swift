import FlowModel
import HTTPTypes
import HostedPages

extension Refusal {
    /// True if the person can answer better, or later; everything else is a fault or the flow's end.
    var isAboutAnswer: Bool { isThrottling || reason == .invalidAnswer }

    /// The status of a page with this refusal on it.
    var pageStatus: HTTPResponse.Status {
        reason == .invalidAnswer ? .unprocessableContent : .tooManyRequests
    }
}

extension StepPage {
    /// Shows why the last answer was not taken.
    mutating func show(_ refusal: Refusal) {
        previous.problems = refusal.nodes
        previous.retryAfterMs = refusal.retryAfterMs
        previous.refusal = refusal.nodes.isEmpty ? refusal.text : nil
    }
}
