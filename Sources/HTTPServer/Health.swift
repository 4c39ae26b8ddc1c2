import Foundation
import HTTPTypes
public import Hummingbird
import NIOCore

/// The addresses for operation: `/healthz`, `/readyz` and `/metrics`.
public struct Health: Sendable {
    /// One thing that must be well before requests make sense.
    public struct Check: Sendable {
        let name: String
        let problem: @Sendable () async -> String?

        /// A check.
        ///
        /// - Parameters:
        ///   - name: What is checked.
        ///   - problem: What is wrong with it in a few words that strangers may read, or nil; has a deadline of its own.
        public init(_ name: String, problem: @escaping @Sendable () async -> String?) {
            self.name = name
            self.problem = problem
        }
    }

    private let checks: [Check]
    private let metrics: PrometheusRegistry
    private let showsMetricsToAll: Bool
    private let measure: @Sendable () async -> Void

    /// Health by `checks`, and the metrics of `metrics`.
    ///
    /// - Parameters:
    ///   - checks: What must be well.
    ///   - metrics: What was counted.
    ///   - measure: Sets what has a value only when somebody looks: lengths of queues, sizes of files.
    ///   - showsMetricsToAll: Whether `/metrics` answers requests from elsewhere too: for a listener that was made for it.
    public init(
        checks: [Check],
        metrics: PrometheusRegistry,
        measure: @escaping @Sendable () async -> Void = {},
        showsMetricsToAll: Bool = false
    ) {
        self.measure = measure
        self.checks = checks
        self.metrics = metrics
        self.showsMetricsToAll = showsMetricsToAll
    }

    /// Adds the three addresses below `prefix`.
    public func addRoutes(to router: Router<HTTPContext>, prefix: String = "") {
        router.get(RouterPath(prefix + "/healthz")) { _, _ in Self.json(.ok, ["status": "ok"]) }
        router.get(RouterPath(prefix + "/readyz")) { _, _ in await ready() }
        router.get(RouterPath(prefix + "/metrics")) { _, context in try await page(context) }
    }

    /// The three addresses alone, for a listener of their own.
    public func router() -> Router<HTTPContext> {
        let router = Router(context: HTTPContext.self)
        addRoutes(to: router)
        return router
    }

    private func ready() async -> Response {
        var problems: [String: String] = [:]
        for check in checks {
            if let problem = await check.problem() { problems[check.name] = problem }
        }
        return problems.isEmpty
            ? Self.json(.ok, ["status": "ready"])
            : Self.json(.serviceUnavailable, ["status": "not ready"].merging(problems) { first, _ in first })
    }

    private func page(_ context: HTTPContext) async throws -> Response {
        guard context.isLocal || showsMetricsToAll else { throw HTTPProblem.of(.notFound) }
        await measure()
        let text = ByteBuffer(string: metrics.render())
        return Response(
            status: .ok,
            headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
            body: .init(byteBuffer: text)
        )
    }

    private static func json(_ status: HTTPResponse.Status, _ object: [String: String]) -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let bytes = (try? encoder.encode(object)) ?? Data()
        return Response(
            status: status,
            headers: [.contentType: "application/json; charset=utf-8"],
            body: .init(byteBuffer: ByteBuffer(bytes: bytes))
        )
    }
}
