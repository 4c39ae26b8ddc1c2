import HTTPServer
import Hummingbird
import OAuth

/// The metadata of a policy's issuer (RFC 8414 §3) at its well-known address, in which the issuer's path comes last.
struct MetadataRoute: AuthorityRoute {
    /// The seconds for which a copy may be cached.
    static let maxAge = 3600

    let place: AuthorityPaths
    let documents: AuthorityDocuments

    var paths: [String] { ["/.well-known/oauth-authorization-server\(place.prefix)/{tenant}/{policy}/v2.0"] }
    var operation: RouteOperation? {
        RouteOperation(summary: "The issuer's metadata (RFC 8414 §3).", answer: .document(status: 200))
    }

    func answer(_ request: Request, _ context: HTTPContext) async throws -> Response {
        .document(try place.metadata(context, documents), maxAge: Self.maxAge)
    }
}
