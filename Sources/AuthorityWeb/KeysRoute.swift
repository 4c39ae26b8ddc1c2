import HTTPServer
import Hummingbird
import OAuth

/// The keys that verify the authority's tokens (RFC 7517 §5); every policy shows the same ones.
struct KeysRoute: AuthorityRoute {
    /// How many seconds a copy may be used; a new key is shown much longer than this before it signs.
    static let maxAge = 300

    let place: AuthorityPlace
    let documents: AuthorityDocuments

    var path: String { place.prefix + "/{tenant}/{policy}/discovery/v2.0/keys" }

    func answer(_ request: Request, _ context: HTTPContext) async throws -> Response {
        _ = try place.metadata(context, documents)
        return .document(try await documents.keys(), maxAge: Self.maxAge)
    }
}
