import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import NIOCore
import OAuth

/// Paths that ask for a scope of their own, whatever is behind them.
struct ProtectedPaths: RouterMiddleware {
    /// The scope by path; a path protects what is below it too.
    let scopes: [String: String]
    let check: BearerCheck

    func handle(
        _ request: Request,
        context: HTTPContext,
        next: (Request, HTTPContext) async throws -> Response
    ) async throws -> Response {
        for (path, scope) in asked(by: request.uri.path) {
            guard let caller = try await check.caller(request) else { return Self.unauthorized }
            guard !caller.has(scope) else { continue }
            throw path.lowercased() == BalanceRoute.path ? Self.unchecked(scope) : Permission.insufficient(scope)
        }
        return try await next(request, context)
    }

    /// All entries that the path, as it is spelled and as it is meant, falls under.
    private func asked(by path: String) -> [(path: String, scope: String)] {
        let plain = (path.removingPercentEncoding ?? path).lowercased().split(separator: "/")
        return scopes.filter { plain.starts(with: $0.key.lowercased().split(separator: "/")) }
            .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// There is no token, in the words of programs that show an answer to people as it is.
    static let unauthorized = Response(
        status: .unauthorized,
        headers: [.wwwAuthenticate: "Bearer", .contentType: "text/plain; charset=utf-8"],
        body: .init(byteBuffer: ByteBuffer(string: "Unauthorized"))
    )

    /// The token's person has not passed the check that `scope` asks for (RFC 9470 §3): with the scope comes the check.
    static func unchecked(_ scope: String) -> HTTPProblem {
        let message = "the person must pass the check of \(scope)"
        let challenge = WWWAuthenticate(
            error: .insufficientUserAuthentication,
            errorDescription: message,
            scopes: (try? Scope(scope)).map { [$0] } ?? []
        )
        return HTTPProblem(
            .unauthorized,
            code: OAuthError.Code.insufficientUserAuthentication.rawValue,
            message: message,
            headers: [.wwwAuthenticate: challenge.description]
        )
    }
}

extension Caller {
    /// Whether the token grants `scope`, whatever else is ignored.
    func has(_ scope: String) -> Bool { scopes.contains { $0.name == scope } }
}
