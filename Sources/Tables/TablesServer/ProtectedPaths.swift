import FlowModel
import HTTPServer
import HTTPTypes
import Hummingbird
import Localization
import Moments
import NIOCore
import OAuth

/// Middleware that requires a scope for configured paths, no matter which routes serve them.
struct ProtectedPaths: RouterMiddleware {
    private struct Entry {
        let path: String
        let segments: [String]
        let demand: ResourceDemand

        init(path: String, demand: ResourceDemand) {
            self.path = path
            self.demand = demand
            let segments = path.utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
            self.segments = ProtectedPaths.folded(segments)
        }

        /// Returns whether this entry could cover `path`, based on a fast check of the first letter only.
        func mayCover(_ path: String) -> Bool {
            guard let first = segments.first?.utf8.first, first < 0x80 else { return true }
            guard let other = path.utf8.first(where: { $0 != UInt8(ascii: "/") }) else { return false }
            return other == first || other == first ^ 0x20 || other == UInt8(ascii: "%")
        }
    }

    private let entries: [Entry]
    private let check: BearerCheck
    private let clock: MomentClock

    /// Creates middleware that applies each requirement in `demands` to its path and to all paths below it.
    init(demands: [String: ResourceDemand], check: BearerCheck, clock: MomentClock) {
        entries = demands.sorted { $0.key < $1.key }.flatMap { path, demand in
            let entry = Entry(path: path, demand: demand)
            return [entry] + (Self.taskPath(of: entry.segments).map { [Entry(path: $0, demand: demand)] } ?? [])
        }
        self.check = check
        self.clock = clock
    }

    func handle(
        _ request: Request,
        context: HTTPContext,
        next: (Request, HTTPContext) async throws -> Response
    ) async throws -> Response {
        let entries = try asked(by: request.uri.path)
        guard !entries.isEmpty else { return try await next(request, context) }
        guard let identity = try await check.identity(request, context) else { return Self.unauthorized }
        try require(entries, of: identity)
        return try await next(request, context)
    }

    /// Applies the requirements for a row's path to a request that reached the row by another path.
    func require(table: String, id: String, of identity: BearerIdentity) throws(HTTPProblem) {
        try require(asked(by: ["tables", table, id]), of: identity)
    }

    private func require(_ entries: [Entry], of identity: BearerIdentity) throws(HTTPProblem) {
        for entry in entries {
            let demand = entry.demand
            let leeway = BearerCheck.leeway
            guard demand.isProven(by: identity.claims, now: clock.now.seconds, leeway: leeway) else {
                throw Self.unchecked(demand)
            }
            guard !identity.has(demand.scope) else { continue }
            throw entry.path.lowercased() == BalanceRoute.path
                ? Self.unchecked(demand) : Permission.insufficient(demand.scope)
        }
    }

    /// Returns the path under `/api/tasks` of the same rows as a path under `/tables`, or `nil` if there is none.
    private static func taskPath(of segments: [String]) -> String? {
        let table = TaskRoutes.tablePath
        guard segments.starts(with: table.prefix(segments.count)), segments.first != nil else { return nil }
        return (TaskRoutes.path + segments.dropFirst(table.count)).map { "/" + $0 }.joined()
    }

    /// Returns the entries whose segments are a prefix of the path's segments, ignoring case.
    private func asked(by path: String) throws(HTTPProblem) -> [Entry] {
        guard entries.contains(where: { $0.mayCover(path) }) else { return [] }
        return asked(by: try RequestPath(path).segments)
    }

    private func asked(by path: [String]) -> [Entry] {
        let segments = Self.folded(path)
        return entries.filter { segments.starts(with: $0.segments) { Self.areSame($0, $1) } }
    }

    private static func folded(_ segments: [String]) -> [String] { segments.map { $0.lowercased() } }

    /// Compares strings by Unicode scalars, because the store treats canonically equivalent strings as different ids.
    private static func areSame(_ a: String, _ b: String) -> Bool { a.unicodeScalars.elementsEqual(b.unicodeScalars) }

    /// The response to a request without a token, in plain text because some clients show it to users.
    static let unauthorized = Response(
        status: .unauthorized,
        headers: [.wwwAuthenticate: "Bearer", .contentType: "text/plain; charset=utf-8"],
        body: .init(byteBuffer: ByteBuffer(string: "Unauthorized"))
    )

    /// Returns the response if the user was not authenticated in the way that `demand` requires (RFC 9470 §3).
    static func unchecked(_ demand: ResourceDemand) -> HTTPProblem {
        let text = Text("tables.checkMissing", ["scope": demand.scope])
        let challenge = WWWAuthenticate(
            error: .insufficientUserAuthentication,
            errorDescription: text.english,
            scopes: (try? Scope(demand.scope)).map { [$0] } ?? [],
            acrValues: demand.acrValues,
            maxAge: demand.maxAge
        )
        return HTTPProblem(
            .unauthorized,
            code: OAuthError.Code.insufficientUserAuthentication.rawValue,
            text,
            headers: [.wwwAuthenticate: challenge.description]
        )
    }
}

extension BearerIdentity {
    /// Returns whether the token contains `scope`, even if scopes are not required.
    func has(_ scope: String) -> Bool { scopes.contains { $0.name == scope } }
}
