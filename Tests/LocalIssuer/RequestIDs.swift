import HTTPServer
import HTTPTypes
import Hummingbird
import Synchronization

/// Records the `client-request-id` of every request.
struct RequestIDs: RouterMiddleware {
    let provider: LocalProvider

    func handle(
        _ request: Request,
        context: HTTPContext,
        next: (Request, HTTPContext) async throws -> Response
    ) async throws -> Response {
        if let id = HTTPField.Name(HTTPPipeline.correlationIDField).flatMap({ request.headers[$0] }) {
            provider.state.withLock { $0.requestIDs[request.uri.path, default: []].append(id) }
        }
        return try await next(request, context)
    }
}
