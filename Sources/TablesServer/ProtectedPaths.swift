import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import NIOCore
import OAuth

/// Paths that ask for a scope of their own, whatever is behind them.
struct ProtectedPaths: RouterMiddleware {
    private struct Entry {
        let path: String
        let parts: [Substring]
        let scope: String

        /// False for what it surely does not cover: most paths differ in their first letter, and that is soon seen.
        func mayCover(_ path: String) -> Bool {
            guard let first = parts.first?.utf8.first, first < 0x80 else { return true }
            guard let other = path.utf8.first(where: { $0 != UInt8(ascii: "/") }) else { return false }
            return other == first || other == first ^ 0x20 || other == UInt8(ascii: "%") || other >= 0x80
        }
    }

    private let entries: [Entry]
    private let check: BearerCheck

    /// - Parameters:
    ///   - scopes: The scope by path; a path protects what is below it too.
    ///   - check: Finds out who asks.
    init(scopes: [String: String], check: BearerCheck) {
        entries = scopes.sorted { $0.key < $1.key }.map { path, scope in
            Entry(path: path, parts: path.lowercased().split(separator: "/"), scope: scope)
        }
        self.check = check
    }

    func handle(
        _ request: Request,
        context: HTTPContext,
        next: (Request, HTTPContext) async throws -> Response
    ) async throws -> Response {
        for entry in asked(by: request.uri.path) {
            guard let caller = try await check.caller(request) else { return Self.unauthorized }
            guard !caller.has(entry.scope) else { continue }
            throw entry.path.lowercased() == BalanceRoute.path
                ? Self.unchecked(entry.scope) : Permission.insufficient(entry.scope)
        }
        return try await next(request, context)
    }

    /// All entries that the path, as it is spelled and as it is meant, falls under.
    private func asked(by path: String) -> [Entry] {
        guard entries.contains(where: { $0.mayCover(path) }) else { return [] }
        let plain = (path.removingPercentEncoding ?? path).lowercased().split(separator: "/")
        return entries.filter { plain.starts(with: $0.parts) }
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
