import HTTPServer
import HTTPTypes
import Hummingbird

/// A route of the authority.
protocol AuthorityRoute: Sendable {
    /// The paths, with `{tenant}` and `{policy}` as parameters.
    var paths: [String] { get }
    /// The methods; HEAD is answered where GET is.
    var methods: [HTTPRequest.Method] { get }
    /// The description for the document of all routes; nil for a route that is not served over the network,
    /// or that programs find nothing at.
    var operation: RouteOperation? { get }

    /// Decodes the request, calls the authority, and encodes its answer.
    func answer(_ request: Request, _ context: HTTPContext) async throws -> Response
}

extension AuthorityRoute {
    var methods: [HTTPRequest.Method] { [.get] }
    var operation: RouteOperation? { RouteOperation(summary: "Shows a page.", answer: .page) }
}
