import HTTPServer
import HTTPTypes
import Hummingbird
import NIOCore
import OAuth

/// The route `/api/balance`, whose scope the authority grants only after additional verification of the user.
struct BalanceRoute: Sendable {
    static let path = "/api/balance"
    static let standard: ResourceDemand = "accessRestricted"
    private static let balance = "19938.80"

    let check: BearerCheck
    let demand: ResourceDemand

    func add(to router: Router<HTTPContext>) {
        router.get("api/balance", use: read)
    }

    @Sendable private func read(_ request: Request, _ context: HTTPContext) async throws -> Response {
        guard let identity = try await check.identity(request, context) else { return ProtectedPaths.unauthorized }
        guard identity.has(demand.scope) else { throw ProtectedPaths.unchecked(demand) }
        guard Self.prefersText(request.headers[.accept] ?? "") else {
            return JSONAnswer.of(["balance": .string(Self.balance)])
        }
        return Response(
            status: .ok,
            headers: [.contentType: "text/plain; charset=utf-8"],
            body: .init(byteBuffer: ByteBuffer(string: Self.balance))
        )
    }

    /// Returns whether `accept`, the value of an `Accept` field, prefers plain text to JSON (RFC 9110 §12.5.1).
    static func prefersText(_ accept: String) -> Bool {
        func quality(_ type: String) -> Double? {
            for item in accept.lowercased().split(separator: ",") {
                let parts = item.split(separator: ";").map { String($0.filter { !$0.isWhitespace }) }
                guard parts.first == type else { continue }
                return parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            }
            return nil
        }
        guard let text = quality("text/plain"), text > 0 else { return false }
        return text > quality("application/json") ?? 0
    }
}
