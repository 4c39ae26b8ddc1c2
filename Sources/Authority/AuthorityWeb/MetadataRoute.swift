import HTTPServer
import Hummingbird
import OAuth

/// The route for a policy's metadata, whose URL is a well-known prefix followed by the issuer's path (RFC 8414 §3).
struct MetadataRoute: AuthorityRoute {
    /// How long a response may be cached, in seconds.
    static let maxAge = 3600

    let place: AuthorityPaths
    let documents: AuthorityDocuments

    var paths: [String] { ["/.well-known/oauth-authorization-server\(place.prefix)/{tenant}/{policy}/v2.0"] }
    var operation: RouteOperation? {
        RouteOperation(summary: "Get the issuer's metadata (RFC 8414 §3).", answer: .document(status: 200))
    }

    func answer(_ request: Request, _ context: HTTPContext) async throws -> Response {
        .published(try place.metadata(context, documents), maxAge: Self.maxAge)
    }
}
