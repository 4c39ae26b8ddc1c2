import HTTPServer
import Hummingbird
import OAuth

/// The keys that verify the authority's tokens (RFC 7517 §5), the same for every policy.
struct KeysRoute: AuthorityRoute {
    /// The seconds for which a copy may be cached; a new key is published much longer than this before it signs, and a
    /// revoked key is trusted no longer than this.
    static let maxAge = 300
    /// The same for clients on the Unix socket, where a request costs next to nothing.
    static let localMaxAge = 30
    /// The path behind the policy's.
    static let tail = "/discovery/v2.0/keys"

    let place: AuthorityPaths
    let documents: AuthorityDocuments

    var paths: [String] { [place.prefix + "/{tenant}/{policy}" + Self.tail] }
    var operation: RouteOperation? {
        RouteOperation(summary: "The keys that verify tokens (RFC 7517 §5).", answer: .document(status: 200))
    }

    func answer(_ request: Request, _ context: HTTPContext) async throws -> Response {
        _ = try place.metadata(context, documents)
        return .document(try await documents.keys(), maxAge: context.isOnUnixSocket ? Self.localMaxAge : Self.maxAge)
    }
}
