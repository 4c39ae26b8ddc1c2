import HTTPServer
import HTTPTypes
import Hummingbird

/// A route of the authority's HTTP interface.
protocol AuthorityRoute: Sendable {
    /// The paths, with `{tenant}` and `{policy}` as parameters.
    var paths: [String] { get }
    /// The methods. A route for GET also handles HEAD.
    var methods: [HTTPRequest.Method] { get }
    /// The description for `openapi.json`, or `nil` for a route that is not served over the network or not useful to
    /// programs.
    var operation: RouteOperation? { get }

    /// Decodes a request, calls the authority, and encodes the response.
    func answer(_ request: Request, _ context: HTTPContext) async throws -> Response
}

extension AuthorityRoute {
    var methods: [HTTPRequest.Method] { [.get] }
    var operation: RouteOperation? { RouteOperation(summary: "Show a page.", answer: .page) }
}
