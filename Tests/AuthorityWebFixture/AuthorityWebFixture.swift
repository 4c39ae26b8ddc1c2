import Authority
public import AuthorityFixture
public import AuthorityWeb
public import Flows
import HTTPServer
public import HTTPTypes
public import Hummingbird
public import Logging
public import NIOCore
import Systemd

/// The HTTP interface of an ``AuthorityFixture``'s daemon, with all routes and the whole pipeline but no socket.
public struct AuthorityWebFixture: Sendable {
    /// The flows that run in browsers.
    public let browsers: BrowserFlows
    /// The routes, with the same endpoints as in a real daemon.
    public let routes: AuthorityRoutes
    private let pipeline: HTTPPipeline
    private let base: String

    /// The connection that a request uses.
    public enum Connection: Sendable {
        /// A TCP connection from the address `198.51.100.CLIENT`.
        case tcp(client: UInt8)
        /// A connection to the Unix socket from a process with this uid.
        case socket(uid: UInt32)
    }

    /// A complete response.
    public struct Answer: Sendable {
        /// The status code.
        public let status: Int
        /// The header fields.
        public let headers: HTTPFields
        /// The bytes of the body.
        public let body: [UInt8]

        /// The body as text.
        public var text: String { String(decoding: body, as: UTF8.self) }
    }

    /// Creates the HTTP interface of a daemon, at the base URL from the daemon's settings.
    ///
    /// - Parameters:
    ///   - fixture: The daemon.
    ///   - flows: The daemon's flow engine.
    ///   - logger: The destination of the log.
    public init(_ fixture: AuthorityFixture, flows: FlowDirectory, logger: Logger = AuthorityFixture.silent) {
        let (authority, settings) = (fixture.authority, fixture.authority.settings())
        let browsers = BrowserFlows(
            authority: authority,
            flows: flows,
            store: fixture.store,
            clock: fixture.clock,
            logger: logger
        )
        let origins = OriginRule(machine: "m", isBehindProxy: false, proxies: [])
        routes = AuthorityRoutes(
            base: settings.base,
            tenant: settings.tenant,
            documents: AuthorityDocuments(
                metadata: { authority.issuers.metadataDocument(policy: $0) },
                keys: { try await authority.issuers.jwks() }
            ),
            browsers: BrowserEndpoints(flows: browsers, base: settings.base, origins: origins),
            programs: ProgramEndpoints(authority: authority, origins: origins, logger: logger) {
                try await browsers.signIn($0)
            },
            health: Health(checks: [], metrics: PrometheusRegistry())
        )
        pipeline = routes.pipeline(hosts: .any, metrics: PrometheusRegistry(), logger: logger)
        base = settings.base
        self.browsers = browsers
    }

    /// Sends a request to the host of the base URL through the pipeline, and returns the response.
    public func answer(
        _ method: HTTPRequest.Method,
        _ path: String,
        headers: HTTPFields = [:],
        body: String = "",
        over connection: Connection = .tcp(client: 7)
    ) async throws -> Answer {
        let parts = base.split(separator: "/")
        let isSecure = parts[0] == "https:"
        let host = String(parts[1])
        var head = HTTPRequest(method: method, scheme: isSecure ? "https" : "http", authority: host, path: path)
        head.headerFields = headers
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(string: body)))
        let response =
            switch connection {
            case .tcp(let client):
                await pipeline.respond(
                    to: request,
                    at: .tcp(host: "198.51.100.1", port: 443),
                    over: ConnectionEnds(
                        client: TCPOwner.End(bytes: [198, 51, 100, client], port: 40_000),
                        server: TCPOwner.End(bytes: [198, 51, 100, 1], port: 443)
                    ),
                    isSecure: isSecure
                )
            case .socket(let uid):
                await pipeline.respond(to: request, at: .unix(path: "/run/authority.sock", mode: 0o666), peer: uid)
            }
        let collected = CollectedBody()
        try await response.body.write(collected)
        return Answer(status: response.status.code, headers: response.headers, body: collected.all)
    }
}

/// A response body in memory.
public final class CollectedBody: ResponseBodyWriter {
    /// All bytes of the body so far.
    public private(set) var all: [UInt8] = []

    /// Creates an empty body.
    public init() {}

    /// Adds the next bytes.
    public func write(_ buffer: ByteBuffer) async throws {
        all += Array(buffer.readableBytesView)
    }

    /// Ends the body.
    public consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
