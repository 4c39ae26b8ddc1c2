import HTTPServer
import HTTPTypes
import Hummingbird
import OAuth

/// The API as a protected resource: the metadata by which a client that knows the API's address finds its authority
/// (RFC 9728).
struct ProtectedResource: Sendable {
    /// The API's URI, as the configuration names it: a request's `Host` is the client's own word.
    let uri: String
    /// The scopes that the API asks for.
    let scopes: [String]
    let check: BearerCheck

    /// The path that metadata stands at, before that of the resource (RFC 9728 §3.1).
    static let wellKnown = "/.well-known/oauth-protected-resource"

    /// The path of the URI; empty if it is an origin.
    private var path: Substring {
        let rest = uri.drop { $0 != ":" }.dropFirst(3)
        return rest.firstIndex(of: "/").map { rest[$0...] } ?? ""
    }

    /// The route of the metadata.
    private var route: String { Self.wellKnown + path }

    /// The address of the metadata.
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

    /// Names the metadata in every challenge (RFC 9728 §5.1).
    var challenge: ResourceChallenge { ResourceChallenge(address: address) }
}

/// Middleware that names the resource's metadata in the challenge of each 401.
struct ResourceChallenge: RouterMiddleware {
    /// The address of the metadata.
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
