import HTTPServer
import Hummingbird
import OAuth

/// The description of all routes, for developers and their tools.
struct OpenAPIRoute: AuthorityRoute {
    /// The seconds for which a copy may be cached; a reload may bring other policies.
    private static let maxAge = 300

    let place: AuthorityPaths
    let base: String
    /// Returns the names of the policies as they are now.
    let policies: @Sendable () -> [String]
    /// The routes beside this one.
    let others: [any AuthorityRoute]
    /// The document of the policies of the last request.
    let rendered = RenderedOnce<[String]>()

    var paths: [String] { [place.prefix + "/openapi.json"] }
    var operation: RouteOperation? {
        RouteOperation(summary: "The description of these addresses.", answer: .document(status: 200))
    }

    func answer(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let bytes = rendered.bytes(for: policies()) { policies in
            OpenAPIDocument(
                origin: String(base.dropLast(base.hasSuffix("/") ? 1 : 0).dropLast(place.prefix.count)),
                tenant: place.tenant,
                policies: policies,
                routes: others + [self as any AuthorityRoute]
            )
            .json.bytes
        }
        return .document(bytes, maxAge: Self.maxAge)
    }
}
