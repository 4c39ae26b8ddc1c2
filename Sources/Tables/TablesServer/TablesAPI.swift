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

/// The protected web API: tables of rows, and tasks as simple clients know them.
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

    /// Makes the API of `tables`.
    ///
    /// - Parameters:
    ///   - tables: The tables.
    ///   - store: The tables' rows.
    ///   - check: Authenticates requests.
    ///   - hooks: Asks the hooks of tables.
    ///   - protectedPaths: The demands by path, beside a token.
    ///   - resource: The API's own URI, under which its metadata stands (RFC 9728); nil if there is none.
    ///   - origin: The origin under which clients reach this server.
    ///   - signIn: The addresses at which people sign in; nil if there are none.
    ///   - health: The health and metrics routes.
    ///   - clock: The source of the current time.
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

    /// The routes of the API; the order of the middlewares is the order of the checks.
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

    /// The scopes of tables and protected paths.
    private var scopes: [String] {
        let tables = tables.flatMap { table in TableDeclaration.Verb.allCases.compactMap { table.scope($0) } }
        return Set(tables + protectedPaths.values.map(\.scope)).sorted()
    }

    /// Adds the OpenAPI document of all routes, itself among them; it is rendered once.
    private func addDocument(to router: Router<HTTPContext>) {
        let document = Mutex(ByteBuffer())
        router.get(RouterPath(OpenAPIDocument.path)) { _, _ in
            JSONAnswer.of(rendered: document.withLock { $0 })
        }
        let bytes = OpenAPIDocument(tables: tables, routes: router.routes).json.bytes
        document.withLock { $0 = ByteBuffer(bytes: bytes) }
    }
}

/// Refuses a token that is not accepted wherever it is sent, even to a route that needs none or does not exist.
///
/// The tables' routes verify it themselves, since they need the identity.
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

/// `/push/…`: the registration for push notifications that the protocol's clients expect; this server sends none.
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
