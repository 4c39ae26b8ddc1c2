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
        for scope in asked(by: request.uri.path) {
            guard let caller = try await check.caller(request) else { return Self.unauthorized }
            guard caller.scopes.contains(where: { $0.name == scope }) else { throw Permission.insufficient(scope) }
        }
        return try await next(request, context)
    }

    /// The scopes of all entries that the path, as it is spelled and as it is meant, falls under.
    private func asked(by path: String) -> [String] {
        let plain = (path.removingPercentEncoding ?? path).lowercased().split(separator: "/")
        return scopes.filter { plain.starts(with: $0.key.lowercased().split(separator: "/")) }.map(\.value).sorted()
    }

    private static let unauthorized = Response(
        status: .unauthorized,
        headers: [.wwwAuthenticate: "Bearer", .contentType: "text/plain; charset=utf-8"],
        body: .init(byteBuffer: ByteBuffer(string: "Unauthorized"))
    )
}
