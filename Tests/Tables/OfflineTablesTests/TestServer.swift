import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import LocalIssuer
import Logging
import Moments
import NIOCore
import OAuth
import RemoteKeys
import Storage
import Synchronization
import Tables
import TablesClient
import TablesServer
import TablesStore
import TestSupport

/// The tasks API with a real store, for tests of synchronization.
///
/// Clients call the API's HTTP pipeline directly, without a network. A test can lose or replace requests and responses.
final class TestServer: Sendable {
    /// The outcome of a request.
    enum Fault: Sendable {
        /// The request and its response arrive.
        case none
        /// The request is lost.
        case requestLost
        /// The request arrives, and its response is lost.
        case answerLost
        /// The request arrives twice, and the client gets the second response.
        case twice
        /// The client gets this response instead of the server's.
        ///
        /// The request does not arrive.
        case answered(Int, JSONValue)
        /// The client gets an HTML page, as from a captive portal.
        ///
        /// The request does not arrive.
        case page(Int)
        /// The client gets an empty response.
        ///
        /// The request does not arrive.
        case empty(Int)
        /// The request arrives, and the client gets this response instead of the server's.
        case answeredInstead(Int, JSONValue)
    }

    let clock: TestClock
    private let pipeline: HTTPPipeline
    private let issuer: LocalIssuer
    private let faults = Mutex<[@Sendable (TablesRequest) async throws -> Fault]>([])
    private let log = Mutex<[TablesRequest]>([])

    private init(clock: TestClock, pipeline: HTTPPipeline, issuer: LocalIssuer) {
        self.clock = clock
        self.pipeline = pipeline
        self.issuer = issuer
    }

    /// The requests of all clients, in order.
    var requests: [TablesRequest] { log.withLock { $0 } }

    /// Each request as `METHOD /path`.
    var lines: [String] { requests.map { "\($0.method.rawValue) \($0.path)" } }

    /// Clears the log of requests.
    func forget() { log.withLock { $0 = [] } }

    /// Sets the function that decides the outcome of each request from now on.
    func fault(_ decide: @escaping @Sendable (TablesRequest) async throws -> Fault) {
        faults.withLock { $0 = [decide] }
    }

    /// Lets all further requests and responses arrive.
    func repair() { faults.withLock { $0 = [] } }

    /// Creates a client that sends requests to the API as the given user.
    func client(_ oid: String = "alice") throws -> TablesClient {
        // No server listens at this address, so a request that the filter passes to `next` fails.
        let nowhere = try APIAddress("http://127.0.0.1:1")
        let token = try issuer.token(oid: oid, scopes: "tasks.read tasks.write", now: clock.now.seconds)
        return TablesClient(
            nowhere,
            filters: [
                { [self] request, next in
                    log.withLock { $0.append(request) }
                    let decide = faults.withLock { $0.first }
                    switch try await decide?(request) ?? .none {
                    case .none: return try await answer(request, token)
                    case .requestLost: return try await next(request)
                    case .answerLost:
                        _ = try await answer(request, token)
                        return try await next(request)
                    case .twice:
                        _ = try await answer(request, token)
                        return try await answer(request, token)
                    case .answered(let status, let json): return TablesResponse(status: status, json: json)
                    case .empty(let status): return TablesResponse(status: status)
                    case .page(let status):
                        return TablesResponse(
                            status: status,
                            headers: ["Content-Type": "text/html"],
                            body: Array("<html>Sign in</html>".utf8)
                        )
                    case .answeredInstead(let status, let json):
                        _ = try await answer(request, token)
                        return TablesResponse(status: status, json: json)
                    }
                }
            ]
        )
    }

    /// Delivers a request that its client considers lost, as a slow network could.
    func deliver(_ request: TablesRequest, as oid: String = "alice") async throws -> TablesResponse {
        try await answer(request, issuer.token(oid: oid, scopes: "tasks.read tasks.write", now: clock.now.seconds))
    }

    private func answer(_ request: TablesRequest, _ token: String) async throws -> TablesResponse {
        var headers: HTTPFields = [.authorization: "Bearer \(token)"]
        for field in request.headers.fields {
            if let name = HTTPField.Name(field.name) { headers[name] = field.value }
        }
        let head = HTTPRequest(
            method: .init(rawValue: request.method.rawValue) ?? .get,
            scheme: "http",
            authority: "tasks.test",
            path: request.path + (request.query.map { "?\($0)" } ?? ""),
            headerFields: headers
        )
        let whole = Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: request.body ?? [])))
        let response = await pipeline.respond(to: whole, at: .tcp(host: "127.0.0.1", port: 3000))
        let collector = BodyCollector()
        try await response.body.write(collector)
        var fields: HeaderFields = [:]
        for field in response.headers { fields.add(field.name.rawName, field.value) }
        return TablesResponse(status: response.status.code, headers: fields, body: collector.bytes)
    }

    /// Runs `test` with a server that serves `tables`, or only `todoitem` if `tables` is `nil`.
    ///
    /// The state of the server stays in `home` after the test. If `home` is `nil`, the state is temporary.
    static func run(
        _ tables: [TableDeclaration]? = nil,
        in home: String? = nil,
        _ test: (TestServer) async throws -> Void
    ) async throws {
        let temporary = try home == nil ? TemporaryFolder() : nil
        let home = home ?? temporary?.url.path ?? ""
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let clock = TestClock()
        let tables = try tables ?? [.todoitem]
        let store = try await TablesStore.open(
            in: StateDirectory("\(home)/state"),
            definitions: tables,
            limits: .standard,
            clock: clock.clock
        )
        let socket = "\(home)/\(getpid()).sock"
        let issuer = try LocalIssuer()
        let name = AuthorityName(base: issuer.base, tenant: issuer.tenant)
        let trust = Trust(name, at: .unixSocket(path: socket), audiences: ["tasks"])
        let fetcher = KeyFetcher()
        let hooks = HookClient()
        let keys = AccessKeys()
        let api = TablesAPI(
            tables: tables,
            store: store,
            check: BearerCheck(trust: [trust], keys: keys, fetcher: fetcher, clock: clock.clock),
            hooks: hooks,
            protectedPaths: [:],
            origin: ServerOrigin(isSecure: false),
            health: Health(checks: [], metrics: PrometheusRegistry()),
            clock: clock.clock
        )
        let pipeline = HTTPPipeline(
            router: api.router(),
            hosts: HostRule(names: ["tasks.test"]),
            errors: .tables,
            crossOrigin: CrossOrigin(origins: []),
            logger: logger
        )
        let server = TestServer(clock: clock, pipeline: pipeline, issuer: issuer)
        try await issuer.serve(on: [.unix(path: socket, mode: 0o600)]) { _ in
            do {
                try await test(server)
            } catch {
                try await fetcher.shutdown()
                try await hooks.shutdown()
                throw error
            }
            try await fetcher.shutdown()
            try await hooks.shutdown()
        }
    }
}
