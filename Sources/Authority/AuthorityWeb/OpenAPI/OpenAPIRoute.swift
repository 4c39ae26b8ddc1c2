import HTTPServer
import Hummingbird
import OAuth

/// The route of the `openapi.json` document, which describes the authority's routes to developers and their tools.
struct OpenAPIRoute: AuthorityRoute {
    /// How long a response may be cached, in seconds, short because a reload can change the policies.
    private static let maxAge = 300

    let place: AuthorityPaths
    let base: String
    let policies: @Sendable () -> [String]
    let others: [any AuthorityRoute]
    let rendered = RenderedOnce<[String]>()

    var paths: [String] { [place.prefix + "/openapi.json"] }
    var operation: RouteOperation? {
        RouteOperation(summary: "Get this OpenAPI document.", answer: .document(status: 200))
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
