import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import LocalIssuer
import Logging
import Moments
import NIOCore
import NIOPosix
import OAuth
import RemoteKeys
import Storage
import Tables
import TablesServer
import TablesStore
import TestSupport

/// The whole API with a real store, and with an issuer that listens on a Unix socket.
///
/// Requests go directly to the API's HTTP pipeline, without a network.
struct TestAPI {
    struct Answer {
        let status: Int
        let headers: HTTPFields
        let json: JSONValue?
        let text: String

        /// The value of a header field.
        subscript(_ name: String) -> String? { HTTPField.Name(name).flatMap { headers[$0] } }
    }

    let issuer: LocalIssuer
    let clock: TestClock
    /// The router's routes as `METHOD /path`, without the HEAD routes that accompany GET routes.
    let routes: [String]
    let pipeline: HTTPPipeline
    let store: TablesStore
    let logger: Logger

    /// Runs `test` with an API that serves `tables` and trusts its own issuer and `others`.
    static func run(
        _ tables: [TableDeclaration]? = nil,
        trust change: (inout Trust) -> Void = { _ in },
        others: [Trust] = [],
        keys: AccessKeys = AccessKeys(),
        limits: OwnerLimits = .standard,
        hooks: HookClient = HookClient(),
        origins: [String] = [],
        protectedPaths: [String: ResourceDemand] = ["/api/balance": "accessRestricted"],
        resource: String? = nil,
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        _ test: (TestAPI) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let clock = TestClock()
        let tables = try tables ?? [.todoitem]
        let store = try await TablesStore.open(
            in: StateDirectory(folder.path("state")),
            definitions: tables,
            limits: limits,
            clock: clock.clock
        )
        let socket = folder.path("a.sock")
        let issuer = try LocalIssuer()
        let name = AuthorityName(base: issuer.base, tenant: issuer.tenant)
        var trust = Trust(name, at: .unixSocket(path: socket), audiences: ["tasks"])
        change(&trust)
        let fetcher = KeyFetcher()
        let api = TablesAPI(
            tables: tables,
            store: store,
            check: BearerCheck(
                trust: [trust] + others,
                keys: keys,
                fetcher: fetcher,
                clock: clock.clock
            ),
            hooks: hooks,
            protectedPaths: protectedPaths,
            resource: resource,
            origin: ServerOrigin(isSecure: false),
            health: Health(checks: [], metrics: PrometheusRegistry()),
            clock: clock.clock
        )
        let router = api.router()
        let pipeline = HTTPPipeline(
            router: router,
            hosts: HostRule(names: ["tasks.test"]),
            errors: .tables,
            crossOrigin: CrossOrigin(origins: origins, refusingChangesBut: "http"),
            logger: logger
        )
        let whole = TestAPI(
            issuer: issuer,
            clock: clock,
            routes: router.routes.filter { $0.method != .head }.map { "\($0.method.rawValue) \($0.path)" },
            pipeline: pipeline,
            store: store,
            logger: logger
        )
        try await issuer.serve(on: [.unix(path: socket, mode: 0o600)]) { _ in
            do {
                try await test(whole)
            } catch {
                try await fetcher.shutdown()
                try await hooks.shutdown()
                throw error
            }
            try await fetcher.shutdown()
            try await hooks.shutdown()
        }
    }

    /// Creates an access token for a user.
    func token(_ oid: String = "alice", scopes: String = "tasks.read tasks.write") throws -> String {
        try issuer.token(oid: oid, scopes: scopes, now: clock.now.seconds)
    }

    /// Sends a request with `token`, or without a token if `token` is `nil`.
    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ body: JSONValue? = nil,
        token: String?,
        _ fields: [String: String] = [:],
        room: AnswerRoom? = nil
    ) async throws -> Answer {
        var headers: HTTPFields = [:]
        if let token { headers[.authorization] = "Bearer \(token)" }
        if body != nil { headers[.contentType] = "application/json" }
        for (name, value) in fields {
            if let name = HTTPField.Name(name) { headers[name] = value }
        }
        let head = HTTPRequest(
            method: method,
            scheme: "http",
            authority: "tasks.test",
            path: path,
            headerFields: headers
        )
        let bytes = ByteBuffer(bytes: body?.bytes ?? [])
        let address = ListenAddress.tcp(host: "127.0.0.1", port: 3000)
        let request = Request(head: head, body: RequestBody(buffer: bytes))
        let response = await pipeline.respond(to: request, at: address, room: room)
        let collector = BodyCollector()
        try await response.body.write(collector)
        return Answer(
            status: response.status.code,
            headers: response.headers,
            json: try? StrictJSON.parse(collector.bytes),
            text: String(decoding: collector.bytes, as: UTF8.self)
        )
    }

    /// Sends a request with a token for the user `alice`.
    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ body: JSONValue? = nil,
        _ fields: [String: String] = [:]
    ) async throws -> Answer {
        try await send(method, path, body, token: token(), fields)
    }
}
