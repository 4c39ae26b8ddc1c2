import HTTPServer
import Hummingbird
import OAuth

/// The route that describes the authority to services on this machine, available only over the Unix socket.
struct DescriptionRoute: AuthorityRoute {
    let base: String
    let tenant: String
    let documents: AuthorityDocuments

    var paths: [String] { [AuthorityDescription.path] }
    var operation: RouteOperation? { nil }

    func answer(_ request: Request, _ context: HTTPContext) async throws -> Response {
        guard context.isOnUnixSocket else { throw HTTPError(.notFound) }
        let keys = try StrictJSON.parse(try await documents.keys())
        let description = AuthorityDescription(
            base: base,
            tenant: tenant,
            keys: keys,
            defaultPolicy: documents.defaultPolicy(),
            providers: documents.providers()
        )
        return .document(description.json.bytes, maxAge: KeysRoute.localMaxAge)
    }
}
