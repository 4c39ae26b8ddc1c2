import HTTPServer
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Synchronization
import Testing

@testable import AuthorityWeb

@Suite(.timeLimit(.minutes(1)))
struct RenderedOnceTests {
    /// A route that counts how often its description is read.
    private final class Described: AuthorityRoute {
        let paths = ["/described"]
        let times = Mutex(0)

        var operation: RouteOperation? {
            times.withLock { $0 += 1 }
            return RouteOperation(summary: "A route.", answer: .empty)
        }

        func answer(_ request: Request, _ context: HTTPContext) async throws -> Response {
            Response(status: .noContent)
        }
    }

    @Test("the route document is rendered once, and again only after the policies have changed") func once()
        async throws
    {
        let described = Described()
        let policies = Mutex(["b2c_1_a"])
        let route = OpenAPIRoute(
            place: AuthorityPaths(base: "http://localhost:8420", tenant: "local"),
            base: "http://localhost:8420",
            policies: { policies.withLock { $0 } },
            others: [described]
        )
        let context = HTTPContext(
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            correlationID: "c",
            isLocal: true
        )
        func ask() async throws -> Int {
            let head = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/openapi.json")
            let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
            #expect(try await route.answer(request, context).status == .ok)
            return described.times.withLock { $0 }
        }
        let first = try await ask()
        #expect(first > 0)
        #expect(try await ask() == first)
        policies.withLock { $0.append("b2c_1_b") }
        let second = try await ask()
        #expect(second > first)
        #expect(try await ask() == second)
    }
}
