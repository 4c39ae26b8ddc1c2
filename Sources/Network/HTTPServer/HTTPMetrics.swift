import CoreMetrics
import HTTPTypes
import Synchronization

/// Records the number of requests by method, route and status, and the duration of requests by route.
final class HTTPMetrics: Sendable {
    /// The maximum number of series that ``handlers`` caches.
    private static let limit = 1000
    /// The methods that metrics and the log name, because clients can send any other word as a method.
    static let methods: Set<HTTPRequest.Method> = [.get, .head, .post, .put, .patch, .delete, .options]

    private struct Kind: Hashable {
        let method: HTTPRequest.Method?
        let route: String?
        let status: Int
    }

    private struct Handlers {
        let requests: any CounterHandler
        let duration: any TimerHandler
    }

    private let registry: PrometheusRegistry
    /// A cache, because building the labels of a series takes longer than counting a request.
    private let handlers = Mutex<[Kind: Handlers]>([:])

    init(_ registry: PrometheusRegistry) {
        self.registry = registry
    }

    func record(_ method: HTTPRequest.Method, _ route: String?, _ status: HTTPResponse.Status, _ time: Duration) {
        let kind = Kind(method: Self.methods.contains(method) ? method : nil, route: route, status: status.code)
        let handlers = handlers(kind)
        handlers.requests.increment(by: 1)
        let (seconds, attoseconds) = time.components
        handlers.duration.recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }

    private func handlers(_ kind: Kind) -> Handlers {
        if let known = handlers.withLock({ $0[kind] }) { return known }
        let route = ("route", kind.route ?? "none")
        let labels = [("method", kind.method?.rawValue ?? "other"), route, ("status", "\(kind.status)")]
        let made = Handlers(
            requests: registry.makeCounter(label: "http_requests", dimensions: labels),
            duration: registry.makeTimer(label: "http_request_duration", dimensions: [route])
        )
        handlers.withLock { if $0.count < Self.limit { $0[kind] = made } }
        return made
    }
}
