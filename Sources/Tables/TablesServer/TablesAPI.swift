import FlowModel
public import HTTPServer
import HTTPTypes
public import Hummingbird
public import Moments
import NIOCore
public import OAuth
import Synchronization
public import Tables
public import TablesStore

/// The protected web API, which provides tables of rows, and a task list for simple clients.
public struct TablesAPI: Sendable {
    private let tables: [TableDeclaration]
    private let store: TablesStore
    private let check: BearerCheck
    private let hooks: HookClient
    private let protectedPaths: [String: ResourceDemand]
    private let resource: String?
    private let origin: ServerOrigin
    private let signIn: SignInRoutes?
    private let health: Health
    private let clock: MomentClock

    /// Creates the API for `tables`.
    ///
    /// `protectedPaths` maps each path to the requirements that a token must satisfy. `resource` is the API's URI,
    /// under which the API's metadata is published (RFC 9728). If `resource` is `nil`, no metadata is published.
    public init(
        tables: [TableDeclaration],
        store: TablesStore,
        check: BearerCheck,
        hooks: HookClient,
        protectedPaths: [String: ResourceDemand],
        resource: String? = nil,
        origin: ServerOrigin,
        signIn: SignInRoutes? = nil,
        health: Health,
        clock: MomentClock
    ) {
        self.tables = tables
        self.store = store
        self.check = check
        self.hooks = hooks
        self.protectedPaths = protectedPaths
        self.resource = resource
        self.origin = origin
        self.signIn = signIn
        self.health = health
        self.clock = clock
    }

    /// Returns a router with the API's routes and middleware.
    public func router() -> Router<HTTPContext> {
        let router = Router(context: HTTPContext.self)
        health.addRoutes(to: router)
        let resource = resource.map { ProtectedResource(uri: $0, scopes: scopes, check: check) }
        if let resource { router.add(middleware: resource.challenge) }
        router.add(middleware: EveryToken(check: check))
        let protected = ProtectedPaths(demands: protectedPaths, check: check, clock: clock)
        router.add(middleware: protected)
        let hooks = TableHooks(client: hooks)
        let metrics = TableMetrics.of(tables)
        TableRoutes(store: store, check: check, hooks: hooks, origin: origin, clock: clock, metrics: metrics)
            .add(to: router)
        TaskRoutes(
            tables: tables,
            store: store,
            check: check,
            protected: protected,
            hooks: hooks,
            origin: origin,
            clock: clock,
            metrics: metrics
        )?
        .add(to: router)
        let demand = protectedPaths.first { $0.key.lowercased() == BalanceRoute.path }?.value
        BalanceRoute(check: check, demand: demand ?? BalanceRoute.standard).add(to: router)
        AccountRoutes(check: check).add(to: router)
        signIn?.add(to: router)
        PushRoutes.add(to: router)
        resource?.add(to: router)
        addDocument(to: router)
        return router
    }

    private var scopes: [String] {
        let tables = tables.flatMap { table in TableDeclaration.Verb.allCases.compactMap { table.scope($0) } }
        return Set(tables + protectedPaths.values.map(\.scope)).sorted()
    }

    /// Adds a route for the OpenAPI document, which is rendered once and describes all routes, including this one.
    private func addDocument(to router: Router<HTTPContext>) {
        let document = Mutex(ByteBuffer())
        router.get(RouterPath(OpenAPIDocument.path)) { _, _ in
            JSONAnswer.of(rendered: document.withLock { $0 })
        }
        let bytes = OpenAPIDocument(tables: tables, routes: router.routes).json.bytes
        document.withLock { $0 = ByteBuffer(bytes: bytes) }
    }
}

/// Middleware that rejects requests with an invalid token, even to paths that do not exist or require no token.
///
/// The table routes verify the token themselves, because they need the user's identity.
struct EveryToken: RouterMiddleware {
    let check: BearerCheck

    func handle(
        _ request: Request,
        context: HTTPContext,
        next: (Request, HTTPContext) async throws -> Response
    ) async throws -> Response {
        if !request.uri.path.hasPrefix("/tables/") { _ = try await check.identity(request, context) }
        return try await next(request, context)
    }
}

/// The routes under `/push` for push notifications, which this server does not send.
enum PushRoutes {
    static let methods: [HTTPRequest.Method] = [.get, .post, .put, .patch, .delete]

    static func add(to router: Router<HTTPContext>) {
        for method in methods {
            router.on("push/**", method: method) { _, _ -> Response in
                throw HTTPProblem(
                    .notImplemented,
                    code: "not_implemented",
                    Text("tables.noNotifications")
                )
            }
        }
    }
}
