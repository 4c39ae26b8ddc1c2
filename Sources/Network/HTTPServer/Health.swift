import HTTPTypes
public import Hummingbird
public import Logging
import NIOCore
import OAuth
import Systemd

/// The health and metrics routes: `/healthz`, `/readyz` and `/metrics`.
public struct Health: Sendable {
    /// One condition for `/readyz`.
    public struct Check: Sendable {
        /// What a problem means for the daemon.
        public enum Severity: Sendable {
            /// It does not serve.
            case failure
            /// It serves, and less well.
            case warning
        }

        let name: String
        let severity: Severity
        let problem: @Sendable () async -> String?

        /// Makes a check.
        ///
        /// - Parameters:
        ///   - name: The name of the thing that is checked.
        ///   - severity: What a problem means.
        ///   - problem: Returns the problem in a few words that strangers may read, or nil; has a deadline of its own.
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

    /// The callers that `/metrics` answers.
    public enum MetricsAudience: Sendable {
        /// Every caller of a listener that serves nothing else.
        case everyCaller
        /// Callers of this machine that no proxy forwarded.
        case thisMachine
        /// None: callers from everywhere arrive through a proxy, which need not say so.
        case none

        /// The audience of a listener with other routes.
        ///
        /// - Parameter isBehindProxy: Whether the configuration names a proxy in front of it.
        public init(isBehindProxy: Bool) { self = isBehindProxy ? .none : .thisMachine }
    }

    private let checks: [Check]
    private let metrics: PrometheusRegistry
    private let audience: MetricsAudience
    private let measure: @Sendable () async -> Void

    /// Makes the routes for `checks` and `metrics`.
    ///
    /// - Parameters:
    ///   - checks: The conditions for `/readyz`.
    ///   - metrics: The registry that `/metrics` shows.
    ///   - measure: Sets the gauges that are measured on demand: lengths of queues, sizes of files.
    ///   - audience: The callers that `/metrics` answers; others get 404.
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

    /// Adds the three routes below `prefix`.
    public func addRoutes(to router: Router<HTTPContext>, prefix: String = "") {
        router.get(RouterPath(prefix + "/healthz")) { _, _ in Self.json(.ok, ["status": "ok"]) }
        router.get(RouterPath(prefix + "/readyz")) { _, _ in await ready() }
        router.get(RouterPath(prefix + "/metrics")) { _, context in try await page(context) }
    }

    /// Makes a router of the three routes alone, for a listener of their own.
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

/// Whether a daemon can look up the users of its local clients.
///
/// It cannot where its sockets belong to another network namespace, or the tables of sockets are hidden from it. All clients at
/// loopback then share one origin.
public struct PeerLookUp: Sendable {
    private let works: Bool

    /// Looks for the daemon's own sockets where the sockets of its clients would be found, and logs a warning if they are not
    /// there.
    public init(_ sockets: [ListeningSocket], logger: Logger) {
        works = sockets.allSatisfy { TCPOwner.isVisible(listener: $0.fileDescriptor) }
        guard !works else { return }
        logger.warning(
            "the users of local clients cannot be looked up: all clients at loopback share one origin",
            metadata: ["hint": "the unit needs PrivateNetwork=no, and AF_NETLINK in RestrictAddressFamilies="]
        )
    }

    /// The condition for `/readyz`: a warning, since the daemon serves all the same.
    public var check: Health.Check {
        Health.Check("peers", severity: .warning) { [works] in
            works ? nil : "the users of local clients cannot be looked up"
        }
    }
}
