import HTTPServer
import Hummingbird

/// One address of the authority, read with GET.
protocol AuthorityRoute: Sendable {
    /// Its path, with `{tenant}` and `{policy}` where they stand.
    var path: String { get }

    /// Decodes the request, calls the authority, encodes its answer.
    func answer(_ request: Request, _ context: HTTPContext) async throws -> Response
}
