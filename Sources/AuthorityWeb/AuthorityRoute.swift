import HTTPServer
import Hummingbird

/// A GET route of the authority.
protocol AuthorityRoute: Sendable {
    /// The path, with `{tenant}` and `{policy}` as parameters.
    var path: String { get }

    /// Decodes the request, calls the authority, and encodes its answer.
    func answer(_ request: Request, _ context: HTTPContext) async throws -> Response
}
