import HTTPServer
import Hummingbird
import OAuth
import Policies

/// The route for a policy's metadata, at the issuer followed by a well-known suffix (OpenID Connect Discovery §4).
struct DiscoveryRoute: AuthorityRoute {
    static let tail = "/v2.0/.well-known/openid-configuration"

    let place: AuthorityPaths
    let documents: AuthorityDocuments

    var paths: [String] { place.paths(behindPolicy: Self.tail) }
    var operation: RouteOperation? {
        RouteOperation(summary: "Get the metadata (OpenID Connect Discovery §4).", answer: .document(status: 200))
    }

    func answer(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let policy = try place.policy(context, query: try request.query())
        guard let metadata = documents.metadata(policy.description) else {
            throw HTTPProblem(.notFound, code: "not_found", message: "there is no such policy")
        }
        return .published(metadata, maxAge: MetadataRoute.maxAge)
    }
}
