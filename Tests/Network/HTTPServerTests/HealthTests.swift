import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Testing

@testable import HTTPServer

/// Tests the response of `/readyz`.
@Suite(.timeLimit(.minutes(1)))
struct HealthTests {
    private func ready(_ checks: [Health.Check]) async -> HTTPResponse.Status {
        let pipeline = HTTPPipeline(
            router: Health(checks: checks, metrics: PrometheusRegistry()).router(),
            hosts: .any,
            errors: .tables,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        let head = HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: "/readyz")
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
        return await pipeline.respond(to: request, at: .tcp(host: "127.0.0.1", port: 1)).status
    }

    @Test("a failure is 503, and a warning is shown with 200") func severities() async {
        let failure = Health.Check("store") { "gone" }
        let warning = Health.Check("peers", severity: .warning) { "unknown" }
        #expect(await ready([]) == .ok)
        #expect(await ready([warning]) == .ok)
        #expect(await ready([failure]) == .serviceUnavailable)
        #expect(await ready([warning, failure]) == .serviceUnavailable)
    }
}
