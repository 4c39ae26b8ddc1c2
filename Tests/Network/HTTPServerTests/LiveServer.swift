import HTTPServer
import Hummingbird
import Logging
import NIOCore
import NIOPosix
import TestSupport

/// Runs a server on free ports during a test.
enum LiveServer {
    static func run(
        _ addresses: [ListenAddress] = [.tcp(host: "127.0.0.1", port: 0)],
        inherited: [ListeningSocket] = [],
        hosts: HostRule = HostRule(names: ["tasks.test"]),
        limits: HTTPLimits = HTTPLimits(),
        tls: TLSFiles? = nil,
        answers: AnswerBudget? = nil,
        requests: RequestLog? = nil,
        on loops: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
        metricsFor audience: Health.MetricsAudience = .thisMachine,
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        isReady: @escaping @Sendable () async throws -> Void = {},
        ready: @escaping @Sendable (_ target: String) -> ReadyDocument? = { _ in nil },
        routes: (Router<HTTPContext>) -> Void = { _ in },
        test: ([ListenAddress]) async throws -> Void
    ) async throws {
        let sockets = inherited.isEmpty ? try ListeningSocket.open(addresses) : inherited
        let router = Router(context: HTTPContext.self)
        let metrics = PrometheusRegistry()
        Health(checks: [], metrics: metrics, audience: audience).addRoutes(to: router)
        router.post("echo") { request, _ in
            Response(status: .ok, body: .init(byteBuffer: try await request.body.collect(upTo: 1 << 20)))
        }
        routes(router)
        let pipeline = HTTPPipeline(
            router: router,
            hosts: hosts,
            errors: .oauth,
            limits: limits,
            metrics: metrics,
            ready: ready,
            logger: logger
        )
        let service = HTTPService(
            sockets: sockets,
            pipeline: {
                try await isReady()
                return pipeline
            },
            tls: tls,
            limits: limits,
            answers: answers,
            requests: requests,
            group: loops,
            logger: logger
        )
        try await serving([service]) { _ in try await test(sockets.map(\.address)) }
    }
}
