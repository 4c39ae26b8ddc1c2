import HTTPTypes
public import Hummingbird
public import Logging
import NIOCore
import OAuth
import Systemd

/// The routes `/healthz`, `/readyz` and `/metrics`, which report the daemon's health and metrics.
public struct Health: Sendable {
    /// A condition that `/readyz` checks.
    public struct Check: Sendable {
        /// The effect that a failed check has on the daemon.
        public enum Severity: Sendable {
            /// The daemon cannot serve requests.
            case failure
            /// The daemon can still serve requests, but with restrictions.
            case warning
        }

        let name: String
        let severity: Severity
        let problem: @Sendable () async -> String?

        /// Creates a condition whose `problem` returns a short public description, or `nil` if there is no problem.
        ///
        /// `problem` must limit its own running time.
        public init(
            _ name: String,
            severity: Severity = .failure,
            problem: @escaping @Sendable () async -> String?
        ) {
            self.name = name
            self.severity = severity
            self.problem = problem
        }
    }

    /// The callers that may read `/metrics`.
    public enum MetricsAudience: Sendable {
        /// All callers, for a listener without other routes.
        case everyCaller
        /// Only local callers whose requests no proxy has forwarded.
        case thisMachine
        /// No callers, for a listener behind a proxy, where all callers appear to be local.
        case none

        /// Creates the audience for a listener with other routes, depending on whether it is behind a proxy.
        public init(isBehindProxy: Bool) { self = isBehindProxy ? .none : .thisMachine }
    }

    private let checks: [Check]
    private let metrics: PrometheusRegistry
    private let audience: MetricsAudience
    private let measure: @Sendable () async -> Void

    /// Creates routes that report `checks` and `metrics`, after `measure` has updated gauges such as queue lengths.
    ///
    /// Callers that do not belong to `audience` receive a 404 error for `/metrics`.
    public init(
        checks: [Check],
        metrics: PrometheusRegistry,
        measure: @escaping @Sendable () async -> Void = {},
        audience: MetricsAudience = .thisMachine
    ) {
        self.measure = measure
        self.checks = checks
        self.metrics = metrics
        self.audience = audience
    }

    private static let (alivePath, readyPath, metricsPath) = ("/healthz", "/readyz", "/metrics")

    /// Returns whether `route` is the template of one of the three routes, with any prefix.
    static func isRoute(_ route: String?) -> Bool {
        route.map { route in [alivePath, readyPath, metricsPath].contains { route.hasSuffix($0) } } ?? false
    }

    /// Adds the three routes to `router`, with `prefix` at the beginning of each path.
    public func addRoutes(to router: Router<HTTPContext>, prefix: String = "") {
        router.get(RouterPath(prefix + Self.alivePath)) { _, _ in Self.json(.ok, ["status": "ok"]) }
        router.get(RouterPath(prefix + Self.readyPath)) { _, _ in await ready() }
        router.get(RouterPath(prefix + Self.metricsPath)) { _, context in try await page(context) }
    }

    /// Returns a router that contains only the three routes, for a separate listener.
    public func router() -> Router<HTTPContext> {
        let router = Router(context: HTTPContext.self)
        addRoutes(to: router)
        return router
    }

    private func ready() async -> Response {
        var problems: [String: String] = [:]
        var isReady = true
        for check in checks {
            guard let problem = await check.problem() else { continue }
            problems[check.name] = problem
            switch check.severity {
            case .failure: isReady = false
            case .warning: break
            }
        }
        let status = ["status": isReady ? "ready" : "not ready"]
        let document = status.merging(problems) { first, _ in first }
        if isReady { return Self.json(.ok, document) }
        var response = Self.json(.serviceUnavailable, document)
        response.headers[.retryAfter] = "1"
        return response
    }

    private func page(_ context: HTTPContext) async throws -> Response {
        let isServed =
            switch audience {
            case .everyCaller: true
            case .thisMachine: context.isLocal
            case .none: false
            }
        guard isServed else { throw HTTPProblem.of(.notFound) }
        await measure()
        let text = ByteBuffer(string: metrics.render())
        return Response(
            status: .ok,
            headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
            body: .init(byteBuffer: text)
        )
    }

    private static func json(_ status: HTTPResponse.Status, _ object: [String: String]) -> Response {
        let bytes = JSONValue.object(object.mapValues(JSONValue.string)).bytes
        return Response(
            status: status,
            headers: [.contentType: "application/json; charset=utf-8"],
            body: .init(byteBuffer: ByteBuffer(bytes: bytes))
        )
    }
}

/// Checks whether the daemon can look up which users its local clients run as.
///
/// If the kernel's socket tables do not show the sockets, all loopback clients share the limits of one client.
public struct PeerLookUp: Sendable {
    private let works: Bool

    /// Looks up the daemon's own sockets in the same way as clients' sockets, and logs a warning if any lookup fails.
    public init(_ sockets: [ListeningSocket], logger: Logger) {
        works = sockets.allSatisfy { TCPOwner.isVisible(listener: $0.fileDescriptor) }
        guard !works else { return }
        logger.warning(
            "users of local clients unknown, all loopback clients share one origin",
            metadata: ["hint": "the unit needs PrivateNetwork=no, and AF_NETLINK in RestrictAddressFamilies="]
        )
    }

    /// The condition for `/readyz`, which warns if the users of local clients cannot be looked up.
    public var check: Health.Check {
        Health.Check("peers", severity: .warning) { [works] in
            works ? nil : "the users of local clients cannot be looked up"
        }
    }
}
