import HTTPServer
import HTTPTypes
import Hummingbird
import OAuth

/// The API's metadata as a protected resource (RFC 9728), which tells clients which authority to use.
struct ProtectedResource: Sendable {
    /// The API's configured URI, which is used instead of a request's `Host` because the client controls that field.
    let uri: String
    let scopes: [String]
    let check: BearerCheck

    /// The well-known path of the metadata, to which the resource's path is appended (RFC 9728 §3.1).
    static let wellKnown = "/.well-known/oauth-protected-resource"

    /// The path of the URI, or an empty string if the URI is only an origin.
    private var path: Substring {
        let rest = uri.drop { $0 != ":" }.dropFirst(3)
        return rest.firstIndex(of: "/").map { rest[$0...] } ?? ""
    }

    private var route: String { Self.wellKnown + path }

    private var address: String { uri.dropLast(path.count) + route }

    func add(to router: Router<HTTPContext>) {
        router.get(RouterPath(route)) { _, context in
            JSONAnswer.of([
                "resource": .string(uri),
                "authorization_servers": .array(try await check.issuers(context).map { .string($0) }),
                "scopes_supported": .array(try await check.granted(scopes, context).map { .string($0) }),
                "bearer_methods_supported": ["header"],
            ])
        }
    }

    var challenge: ResourceChallenge { ResourceChallenge(address: address) }
}

/// Middleware that adds the URL of the resource's metadata to the challenge of each 401 response (RFC 9728 §5.1).
struct ResourceChallenge: RouterMiddleware {
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
