import CoreMetrics
import HTTPTypes

/// Counts requests and how long they take, by method, route and status; none of the three can grow without bound.
struct HTTPMetrics: Sendable {
    private let registry: PrometheusRegistry

    init(_ registry: PrometheusRegistry) {
        self.registry = registry
    }

    func record(_ method: HTTPRequest.Method, _ route: String?, _ status: HTTPResponse.Status, _ time: Duration) {
        let known: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options]
        let labels = [
            ("method", known.contains(method) ? method.rawValue : "other"),
            ("route", route ?? "none"),
            ("status", "\(status.code)"),
        ]
        registry.makeCounter(label: "http_requests", dimensions: labels).increment(by: 1)
        let (seconds, attoseconds) = time.components
        registry.makeTimer(label: "http_request_duration", dimensions: [labels[1]])
            .recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
}
