import Authority
public import HTTPServer
public import Hummingbird
public import Logging
import Policies

/// All HTTP routes of the authority.
public struct AuthorityRoutes: Sendable {
    private let base: String
    private let tenant: String
    private let place: AuthorityPaths
    private let documents: AuthorityDocuments
    private let browsers: BrowserEndpoints?
    private let programs: ProgramEndpoints?
    private let health: Health

    /// Creates the routes of one authority.
    ///
    /// - Parameters:
    ///   - base: The base URL of all routes, for example `https://login.example`. The URL can contain a path.
    ///   - tenant: The case-insensitive name of the only tenant.
    ///   - documents: The published documents.
    ///   - browsers: The endpoints for browsers, or `nil` if browsers cannot sign in.
    ///   - programs: The endpoints for programs, or `nil` if programs cannot request tokens.
    ///   - health: The health and metrics routes.
    public init(
        base: String,
        tenant: String,
        documents: AuthorityDocuments,
        browsers: BrowserEndpoints? = nil,
        programs: ProgramEndpoints? = nil,
        health: Health
    ) {
        self.base = base
        self.tenant = tenant
        place = AuthorityPaths(base: base, tenant: tenant)
        self.documents = documents
        self.browsers = browsers
        self.programs = programs
        self.health = health
    }

    /// Creates the pipeline that handles the authority's requests, and writes them to `requests` if it is not `nil`.
    public func pipeline(
        hosts: HostRule,
        metrics: PrometheusRegistry,
        requests: RequestLog? = nil,
        logger: Logger
    ) -> HTTPPipeline {
        let router = Router(context: HTTPContext.self)
        addRoutes(to: router)
        return HTTPPipeline(
            router: router,
            hosts: hosts,
            errors: .oauth,
            metrics: metrics,
            ready: { [place, documents] in ReadyDocument($0, place, documents) },
            requests: requests,
            origin: { [programs] in programs?.origins.origin($0, $1) ?? $1.origin },
            misdirected: { [place, base, browsers] request, context in
                browsers.flatMap { OtherAddress(place: place, base: base, door: $0).answer(request, context) }
            },
            logger: logger
        )
    }

    /// Adds every route to `router`.
    public func addRoutes(to router: Router<HTTPContext>) {
        health.addRoutes(to: router, prefix: place.prefix)
        let described = routes
        let description = OpenAPIRoute(
            place: place,
            base: base,
            policies: { [browsers, programs] in
                (browsers?.flows.authority ?? programs?.authority)?.policies.map(\.id.description) ?? []
            },
            others: described
        )
        for route in described + [description as any AuthorityRoute] {
            for path in route.paths {
                for method in route.methods {
                    router.on(RouterPath(path), method: method) { request, context in
                        try await route.answer(request, context)
                    }
                }
            }
        }
    }

    /// All routes except the route for `openapi.json`.
    private var routes: [any AuthorityRoute] {
        let published: [any AuthorityRoute] = [
            KeysRoute(place: place, documents: documents),
            MetadataRoute(place: place, documents: documents),
            DiscoveryRoute(place: place, documents: documents),
        ]
        var routes = published + published.map { PreflightRoute(route: $0, audience: .everyPage) }
        routes.append(DescriptionRoute(base: base, tenant: tenant, documents: documents))
        if let browsers {
            routes += [
                AuthorizeRoute(place: place, door: browsers), FlowRoute(place: place, door: browsers),
                ProviderRoute(place: place, door: browsers),
                LogoutRoute(place: place, door: browsers),
                DeviceRoute(place: place, door: browsers),
                AccountRoute(place: place, door: browsers),
                NoticeRoute(place: place, door: browsers),
                BaseRoute(place: place, door: browsers),
                AssetRoute(place: place, door: browsers),
            ]
        }
        if let programs {
            let called: [(AuthorityEndpoint, any AuthorityRoute)] =
                [(.userinfo, UserinfoRoute(place: place, door: programs))]
                + ProgramRoute.calls.map { endpoint, call in
                    (endpoint, ProgramRoute(place: place, door: programs, endpoint: endpoint, call: call))
                }
            routes += called.map { $1 }
            routes += called.filter { $0.0.isForPages }.map { endpoint, route in
                PreflightRoute(route: route, audience: .clients(programs, endpoint))
            }
        }
        return routes
    }
}
