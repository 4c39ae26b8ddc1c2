import HTTPServer
import Hummingbird
import OAuth

/// What the issuer of a policy says about itself (RFC 8414 §3), at its well-known address: the issuer's path comes last.
struct MetadataRoute: AuthorityRoute {
    /// How many seconds a copy may be used.
    static let maxAge = 3600

    let place: AuthorityPlace
    let documents: AuthorityDocuments

    var path: String { "/.well-known/oauth-authorization-server\(place.prefix)/{tenant}/{policy}/v2.0" }

    func answer(_ request: Request, _ context: HTTPContext) async throws -> Response {
        .document(try place.metadata(context, documents).json.bytes, maxAge: Self.maxAge)
    }
}
