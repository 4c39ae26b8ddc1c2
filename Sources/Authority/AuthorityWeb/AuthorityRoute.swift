import HTTPServer
import HTTPTypes
import Hummingbird

protocol AuthorityRoute: Sendable {
    /// The URL paths of the route, which contain `{tenant}` and `{policy}` as parameters.
    var paths: [String] { get }
    /// The HTTP methods that the route handles, where GET includes HEAD.
    var methods: [HTTPRequest.Method] { get }
    /// The description in `openapi.json`, or `nil` if the file does not describe the route.
    var operation: RouteOperation? { get }

    func answer(_ request: Request, _ context: HTTPContext) async throws -> Response
}

extension AuthorityRoute {
    var methods: [HTTPRequest.Method] { [.get] }
    var operation: RouteOperation? { RouteOperation(summary: "Show a page.", answer: .page) }
}
