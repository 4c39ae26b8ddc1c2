import HTTPServer
import HTTPTypes
import Hummingbird

protocol AuthorityRoute: Sendable {
    /// The paths, with `{tenant}` and `{policy}` as parameters.
    var paths: [String] { get }
    /// The methods. A route for GET also handles HEAD.
    var methods: [HTTPRequest.Method] { get }
    /// The description for `openapi.json`, or `nil` for a route that is not meant for programs on the network.
    var operation: RouteOperation? { get }

    func answer(_ request: Request, _ context: HTTPContext) async throws -> Response
}

extension AuthorityRoute {
    var methods: [HTTPRequest.Method] { [.get] }
    var operation: RouteOperation? { RouteOperation(summary: "Show a page.", answer: .page) }
}
