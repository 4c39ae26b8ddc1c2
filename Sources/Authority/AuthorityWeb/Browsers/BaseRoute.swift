import HTTPServer
import HTTPTypes
import HostedPages
import Hummingbird

/// The route of the base address, at which browsers get an error page with a link to the account page.
struct BaseRoute: AuthorityRoute {
    let place: AuthorityPaths
    let door: BrowserEndpoints

    var paths: [String] { [place.prefix.isEmpty ? "/" : place.prefix] }
    var operation: RouteOperation? { nil }

    func answer(_ request: Request, _ context: HTTPContext) async throws -> Response {
        guard request.headers[.accept]?.contains("text/html") == true else { throw HTTPError(.notFound) }
        let writer = PageWriter(place: place, request: request, context: context, policy: door.defaultPolicy)
        return writer.error(.notFound, .notFound, code: "not_found", again: writer.address(AccountRoute.path(place)))
    }
}
