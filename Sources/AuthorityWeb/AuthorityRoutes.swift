public import HTTPServer
public import Hummingbird
public import Logging

/// All HTTP routes of the authority.
public struct AuthorityRoutes: Sendable {
    private let base: String
    private let tenant: String
    private let place: AuthorityPlace
    private let documents: AuthorityDocuments
    private let health: Health

    /// Makes the routes of one authority.
    ///
    /// - Parameters:
    ///   - base: The base URL of every route, for example `https://login.example`; its path is kept.
    ///   - tenant: The only tenant; requests may spell it in any case.
    ///   - documents: The documents that are published.
    ///   - health: The health and metrics routes.
    public init(base: String, tenant: String, documents: AuthorityDocuments, health: Health) {
        self.base = base
        self.tenant = tenant
        place = AuthorityPlace(base: base, tenant: tenant)
        self.documents = documents
        self.health = health
    }

    /// Makes the pipeline that answers the authority's requests.
    ///
    /// - Parameters:
    ///   - hosts: The names that are answered to.
    ///   - metrics: The registry that counts requests.
    ///   - logger: Logs what fails.
    /// - Returns: A pipeline around all routes.
    public func pipeline(hosts: HostRule, metrics: PrometheusRegistry, logger: Logger) -> HTTPPipeline {
        let router = Router(context: HTTPContext.self)
        addRoutes(to: router)
        return HTTPPipeline(router: router, hosts: hosts, errors: .oauth, metrics: metrics, logger: logger)
    }

    /// Adds every route to `router`.
    public func addRoutes(to router: Router<HTTPContext>) {
        health.addRoutes(to: router, prefix: place.prefix)
        let routes: [any AuthorityRoute] = [
            KeysRoute(place: place, documents: documents),
            MetadataRoute(place: place, documents: documents),
            DescriptionRoute(base: base, tenant: tenant, documents: documents),
        ]
        for route in routes {
            router.get(RouterPath(route.path)) { request, context in try await route.answer(request, context) }
        }
    }
}
