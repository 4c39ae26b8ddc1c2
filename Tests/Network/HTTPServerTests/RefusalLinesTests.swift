import HTTPServer
import HTTPTypes
import Hummingbird
import Systemd
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct RefusalLinesTests {
    @Test("refused requests of one address take at most 21 log lines in a minute")
    func flood() async throws {
        let lines = LogLines()
        func addRoute(to router: Router<HTTPContext>) {
            router.get("refused") { _, _ -> Response in
                throw HTTPProblem(.badRequest, code: "invalid_request", message: "no", detail: "planted")
            }
        }
        try await LiveServer.run(logger: lines.logger, routes: addRoute) { bound in
            for _ in 0..<50 {
                let client = try RawClient(bound[0])
                client.send("GET /refused HTTP/1.1\r\nHost: tasks.test\r\nConnection: close\r\n\r\n")
                #expect(await client.readToEnd().hasPrefix("HTTP/1.1 400"))
            }
        }
        let refused = lines.all.filter { $0.contains("refus") && !$0.hasPrefix("info: request answered") }
        #expect(refused.count == RefusalLog.linesPerOrigin + 1)
        #expect(refused.first?.contains("detail=planted") == true)
    }
}
