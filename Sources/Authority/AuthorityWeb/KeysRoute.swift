import HTTPServer
import Hummingbird
import OAuth

/// The route for the public keys that verify the authority's tokens, the same for every policy (RFC 7517 §5).
struct KeysRoute: AuthorityRoute {
    /// How long a response may be cached, in seconds, and thus how long clients can still trust a revoked key.
    static let maxAge = 300
    /// How long a response to a request over the Unix socket may be cached, in seconds.
    ///
    /// The value is lower than ``maxAge``, because requests over the socket are cheap.
    static let localMaxAge = 30
    static let tail = "/discovery/v2.0/keys"

    let place: AuthorityPaths
    let documents: AuthorityDocuments

    var paths: [String] { [place.prefix + "/{tenant}/{policy}" + Self.tail] }
    var operation: RouteOperation? {
        RouteOperation(summary: "Get the keys that verify tokens (RFC 7517 §5).", answer: .document(status: 200))
    }

    func answer(_ request: Request, _ context: HTTPContext) async throws -> Response {
        _ = try place.metadata(context, documents)
        return .published(try await documents.keys(), maxAge: context.isOnUnixSocket ? Self.localMaxAge : Self.maxAge)
    }
}
