import HTTPServer
import Hummingbird
import OAuth

/// The keys that verify the authority's tokens (RFC 7517 §5); every policy shows the same ones.
struct KeysRoute: AuthorityRoute {
    /// Seconds that a copy may be used; a new key is shown much longer than this before it signs, and a key that was revoked
    /// is believed no longer than this.
    static let maxAge = 300
    /// The same for who asks over the Unix socket, where asking costs next to nothing.
    static let localMaxAge = 30

    let place: AuthorityPlace
    let documents: AuthorityDocuments

    var path: String { place.prefix + "/{tenant}/{policy}/discovery/v2.0/keys" }

    func answer(_ request: Request, _ context: HTTPContext) async throws -> Response {
        _ = try place.metadata(context, documents)
        return .document(try await documents.keys(), maxAge: context.isOnUnixSocket ? Self.localMaxAge : Self.maxAge)
    }
}
