import HTTPServer
import Hummingbird

/// Refuses a token that is not accepted wherever it is sent, even to a route that needs none or does not exist.
///
/// The tables' routes verify it themselves, since they need the identity.
struct EveryToken: RouterMiddleware {
    let check: BearerCheck

    func handle(
        _ request: Request,
        context: HTTPContext,
        next: (Request, HTTPContext) async throws -> Response
    ) async throws -> Response {
        if !request.uri.path.hasPrefix("/tables/") { _ = try await check.identity(request, context) }
        return try await next(request, context)
    }
}
