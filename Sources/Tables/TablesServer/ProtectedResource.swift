import HTTPServer
import HTTPTypes
import Hummingbird
import OAuth

/// The metadata of the API as a protected resource (RFC 9728).
///
/// A client that knows the API's URL can use it to find the authority.
struct ProtectedResource: Sendable {
    /// The API's URI as configured.
    ///
    /// A request's `Host` is not used, because the client controls it.
    let uri: String
    /// The scopes that the API requires.
    let scopes: [String]
    let check: BearerCheck

    /// The well-known path of the metadata.
    ///
    /// The resource's path is appended to it (RFC 9728 §3.1).
    static let wellKnown = "/.well-known/oauth-protected-resource"

    /// The path of the URI, or an empty string if the URI is only an origin.
    private var path: Substring {
        let rest = uri.drop { $0 != ":" }.dropFirst(3)
        return rest.firstIndex(of: "/").map { rest[$0...] } ?? ""
    }

    /// The path at which the metadata is served.
    private var route: String { Self.wellKnown + path }

    /// The URL of the metadata.
    private var address: String { uri.dropLast(path.count) + route }

    func add(to router: Router<HTTPContext>) {
        router.get(RouterPath(route)) { _, _ in
            JSONAnswer.of([
                "resource": .string(uri),
                "authorization_servers": .array(try await check.issuers().map { .string($0) }),
                "scopes_supported": .array(try await check.granted(scopes).map { .string($0) }),
                "bearer_methods_supported": ["header"],
            ])
        }
    }

    /// The middleware that adds the URL of the metadata to every challenge (RFC 9728 §5.1).
    var challenge: ResourceChallenge { ResourceChallenge(address: address) }
}

/// Middleware that adds the URL of the resource's metadata to the challenge of each 401.
struct ResourceChallenge: RouterMiddleware {
    /// The URL of the metadata.
    let address: String

    func handle(
        _ request: Request,
        context: HTTPContext,
        next: (Request, HTTPContext) async throws -> Response
    ) async throws -> Response {
        do {
            var response = try await next(request, context)
            if response.status == .unauthorized { response.headers = naming(response.headers) }
            return response
        } catch var problem as HTTPProblem where problem.status == .unauthorized {
            problem.headers = naming(problem.headers)
            throw problem
        }
    }

    private func naming(_ headers: HTTPFields) -> HTTPFields {
        guard let field = headers[.wwwAuthenticate], var challenge = WWWAuthenticate(field) else { return headers }
        var headers = headers
        challenge.resourceMetadata = address
        headers[.wwwAuthenticate] = challenge.description
        return headers
    }
}
