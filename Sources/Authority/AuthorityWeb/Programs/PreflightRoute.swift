import Authority
import HTTPServer
import HTTPTypes
import Hummingbird

/// The responses to preflight requests, which a browser sends before some requests of pages (Fetch §3.2.2).
struct PreflightRoute: AuthorityRoute {
    /// The pages that may call a route.
    enum Audience {
        case everyPage
        /// The pages of browser clients.
        case clients(ProgramEndpoints, AuthorityEndpoint)
    }

    /// How long a browser may cache the response, in seconds.
    private static let maxAge = 600
    /// The request header fields that pages may send, in addition to those that need no preflight.
    private static let fields = "authorization,client-request-id,content-type"

    let route: any AuthorityRoute
    let audience: Audience

    var paths: [String] { route.paths }
    var methods: [HTTPRequest.Method] { [.options] }
    var operation: RouteOperation? { nil }

    func answer(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let names = route.methods.flatMap { $0 == .get ? ["GET", "HEAD"] : [$0.rawValue] }.joined(separator: ", ")
        guard let page = request.headers[.origin], request.headers[.accessControlRequestMethod] != nil,
            let reader = try await reader(page)
        else { throw HTTPProblem.of(.methodNotAllowed, headers: [.allow: names]) }
        let allowed = Response(
            status: .noContent,
            headers: [
                .accessControlAllowMethods: names, .accessControlAllowHeaders: Self.fields,
                .accessControlMaxAge: "\(Self.maxAge)",
            ]
        )
        return allowed.readable(by: reader)
    }

    private func reader(_ page: String) async throws -> String? {
        switch audience {
        case .everyPage: "*"
        case .clients(let door, let endpoint):
            try await door.programs.expects(pagesOf: page, at: endpoint) ? page : nil
        }
    }
}

extension Response {
    /// Returns the response for a page of the origin `reader`, of any origin (`*`), or of no other origin (`nil`).
    ///
    /// Such a response never allows credentials, so a script that sends cookies with a request cannot read the response
    /// (Fetch §3.2.3).
    func readable(by reader: String?) -> Response {
        guard let reader else { return self }
        var response = self
        response.headers[.accessControlAllowOrigin] = reader
        response.headers[.accessControlExposeHeaders] = "client-request-id,retry-after,www-authenticate"
        if reader != "*" { response.headers[.vary] = "Origin" }
        return response
    }
}

extension CallingPage {
    /// Reads the page from the header fields of a request, or returns `nil` if no page of another origin sent it.
    init?(_ request: Request, _ place: AuthorityPaths) {
        let fetch = FetchMetadata(request, scheme: place.scheme)
        guard fetch.isFromOtherOrigin else { return nil }
        self.init(origin: request.headers[.origin], isMarked: fetch.isForeign)
    }
}
