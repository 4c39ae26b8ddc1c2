import HTTPServer
import Hummingbird

/// Refuses a token that is not believed wherever it is sent, also to an address that asks for none or does not exist.
///
/// The tables look at it themselves, after which they know whose it is.
struct EveryToken: RouterMiddleware {
    let check: BearerCheck

    func handle(
        _ request: Request,
        context: HTTPContext,
        next: (Request, HTTPContext) async throws -> Response
    ) async throws -> Response {
        if !request.uri.path.hasPrefix("/tables/") { _ = try await check.caller(request) }
        return try await next(request, context)
    }
}
