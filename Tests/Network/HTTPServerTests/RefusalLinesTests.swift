import FlowModel
import HTTPServer
import HTTPTypes
import Hummingbird
import NIOCore
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

    @Test("behind a proxy each client has its own limit, and the log names its address")
    func proxied() async {
        let lines = LogLines()
        let router = Router(context: HTTPContext.self)
        router.get("refused") { _, _ -> Response in
            throw HTTPProblem(.badRequest, code: "invalid_request", message: "no", detail: "planted")
        }
        let pipeline = HTTPPipeline(
            router: router,
            hosts: .any,
            errors: .oauth,
            origin: { request, _ in .address(request.headers[.from] ?? "") },
            logger: lines.logger
        )
        for client in ["192.0.2.1", "192.0.2.2"] {
            var head = HTTPRequest(method: .get, scheme: "http", authority: "tasks.test", path: "/refused")
            head.headerFields[.from] = client
            let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
            for _ in 0..<30 {
                let answer = await pipeline.respond(to: request, at: .tcp(host: "127.0.0.1", port: 8420))
                #expect(answer.status == .badRequest)
            }
            #expect(lines.all.contains("info: further refusals in this minute are omitted origin=\(client)"))
        }
        #expect(lines.all.filter { $0.contains("request refused") }.count == 2 * RefusalLog.linesPerOrigin)
    }
}
