import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import TestSupport
import Testing

@testable import HTTPServer

@Suite(.timeLimit(.minutes(1)))
struct RequestLogTests {
    private let lines = LogLines()

    /// The lines about answered requests, in order.
    private var answered: [String] { lines.all.filter { $0.contains("request answered") } }

    /// Returns the value of a member of a line's metadata.
    private func value(_ name: String, in line: String?) -> String? {
        line?.split(separator: " ").first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
    }

    @Test("a request is one line at info with the route's template, and nothing else that the client sent")
    func line() async throws {
        let id = UUID().uuidString.lowercased()
        try await LiveServer.run(
            logger: lines.logger,
            routes: { router in
                router.post("items/{id}") { request, _ in
                    _ = try await request.body.collect(upTo: 1024)
                    return Response(status: .created, body: .init(byteBuffer: ByteBuffer(string: "planted-answer")))
                }
            },
            test: { bound in
                let fields = [
                    "client-request-id: \(id)", "Authorization: Bearer planted-header", "User-Agent: planted-agent",
                ]
                let path = "/items/planted-path?planted-query=planted-value"
                let answer = try await RawClient.ask(
                    bound[0],
                    "POST \(path)",
                    host: "tasks.test",
                    fields,
                    body: "planted-body"
                )
                #expect(answer.hasPrefix("HTTP/1.1 201") && answer.contains("planted-answer"))
            }
        )
        let line = answered.first
        #expect(answered.count == 1 && line?.hasPrefix("info:") == true, "\(answered)")
        let expected = [
            "method": "POST", "route": "/items/{id}", "status": "201", "bytes": "14", "correlationId": id,
        ]
        for (name, text) in expected { #expect(value(name, in: line) == text, "\(name): \(line ?? "")") }
        #expect(line?.contains("origin=uid \(geteuid())") == true, "\(line ?? "")")
        #expect(value("ms", in: line).flatMap { Int($0) }.map { (0..<60_000).contains($0) } == true, "\(line ?? "")")
        #expect(!lines.all.contains { $0.contains("planted") }, "\(lines.all)")
    }

    @Test("an unknown path, an unknown method and a foreign host are lines without the client's words")
    func rejected() async throws {
        try await LiveServer.run(logger: lines.logger) { bound in
            _ = try await RawClient.ask(bound[0], "GET /planted-path", host: "tasks.test")
            _ = try await RawClient.ask(bound[0], "PROPFIND /healthz", host: "tasks.test")
            _ = try await RawClient.ask(bound[0], "GET /healthz", host: "planted.test")
        }
        #expect(answered.map { value("route", in: $0) } == ["none", "none", "none"])
        #expect(answered.map { value("method", in: $0) } == ["GET", "other", "GET"])
        #expect(answered.map { value("status", in: $0) } == ["404", "405", "421"])
        #expect(!answered.contains { $0.contains("planted") || $0.contains("PROPFIND") })
    }

    @Test("health and metrics are lines at debug") func health() async throws {
        try await LiveServer.run(logger: lines.logger) { bound in
            for path in ["/healthz", "/readyz", "/metrics"] {
                _ = try await RawClient.ask(bound[0], "GET \(path)", host: "tasks.test")
            }
        }
        #expect(answered.map { value("route", in: $0) } == ["/healthz", "/readyz", "/metrics"])
        #expect(answered.allSatisfy { $0.hasPrefix("debug:") })
    }

    @Test("a document that is sent without its route is a line as well") func ready() async throws {
        let document = ReadyDocument(
            route: "/documents/{name}",
            bytes: { Array("ready".utf8) },
            response: { Response(status: .ok, body: .init(byteBuffer: ByteBuffer(bytes: $0))) }
        )
        try await LiveServer.run(
            logger: lines.logger,
            ready: { $0 == "/documents/planted" ? document : nil },
            test: { bound in
                // The first request sets up the pipeline.
                _ = try await RawClient.ask(bound[0], "GET /healthz", host: "tasks.test")
                let client = try RawClient(bound[0])
                client.send("GET /documents/planted HTTP/1.1\r\nHost: tasks.test\r\n\r\n")
                client.send("GET /healthz HTTP/1.1\r\nHost: tasks.test\r\nConnection: close\r\n\r\n")
                #expect(await client.readToEnd().contains("ready"))
            }
        )
        let line = answered.first { value("route", in: $0) == "/documents/{name}" }
        #expect(line?.hasPrefix("info:") == true && value("bytes", in: line) == "5", "\(answered)")
        #expect(line?.contains("origin=uid \(geteuid())") == true, "\(answered)")
        #expect(value("correlationId", in: line)?.count == 36, "\(answered)")
        #expect(!answered.contains { $0.contains("planted") }, "\(answered)")
    }

    @Test("a second takes at most 200 lines, and the next second reports how many requests are missing")
    func limit() {
        let log = RequestLog(logger: lines.logger)
        let start = ContinuousClock.now
        func record(_ milliseconds: Int) {
            self.record("/items/{id}", in: log, at: start + .milliseconds(milliseconds))
        }
        for request in 0..<250 { record(request) }
        #expect(lines.all.count == RequestLog.linesPerSecond)
        for _ in 0..<250 { record(1000) }
        #expect(lines.all.count == 2 * RequestLog.linesPerSecond)
        #expect(lines.all[RequestLog.linesPerSecond] == "info: requests were not logged count=50")
        record(5000)
        #expect(lines.all.suffix(2).first == "info: requests were not logged count=51")
        record(9000)
        #expect(lines.all.last?.hasPrefix("info: request answered") == true)
        #expect(lines.all.count == 2 * RequestLog.linesPerSecond + 3)
    }

    /// Records more requests to `log` than it writes in a second, so that it only counts 50 of them.
    private func exceed(_ log: RequestLog, at now: ContinuousClock.Instant) {
        for _ in 0..<(RequestLog.linesPerSecond + 50) { record("/items/{id}", in: log, at: now) }
    }

    private func record(_ route: String, in log: RequestLog, at now: ContinuousClock.Instant) {
        let entry = RequestLog.Entry(
            method: .get,
            route: route,
            status: .ok,
            time: .milliseconds(3),
            bytes: 1,
            correlationID: "c"
        )
        log.record(entry, at: now) { "uid 1" }
    }

    @Test("a request that is not logged at this level also reports the requests that are missing") func belowLevel() {
        var logger = lines.logger
        logger.logLevel = .info
        let log = RequestLog(logger: logger)
        let start = ContinuousClock.now
        exceed(log, at: start)
        record("/healthz", in: log, at: start + .milliseconds(999))
        #expect(lines.all.count == RequestLog.linesPerSecond)
        for second in 1...2 { record("/healthz", in: log, at: start + .seconds(second)) }
        #expect(lines.all.count == RequestLog.linesPerSecond + 1)
        #expect(lines.all.last == "info: requests were not logged count=50")
    }

    @Test("at the end of the service, the requests that are missing are reported once") func flush() async throws {
        let log = RequestLog(logger: lines.logger)
        let reports = { lines.all.filter { $0.contains("requests were not logged") } }
        try await LiveServer.run(
            requests: log,
            test: { _ in
                exceed(log, at: .now)
                #expect(reports().isEmpty)
            }
        )
        #expect(reports() == ["info: requests were not logged count=50"])
        log.flush()
        #expect(reports().count == 1)
    }

    @Test(
        "a malformed request is a line with the correlation id of its response, and without the client's words",
        arguments: [
            ("\u{1}\u{2}planted\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nX-A: planted\(String(repeating: "a", count: 40_000))\r\n\r\n", 431),
        ]
    )
    func malformed(_ text: String, _ status: Int) async throws {
        var answer = ""
        try await LiveServer.run(logger: lines.logger) { bound in
            let client = try RawClient(bound[0])
            client.send(text)
            answer = await client.readToEnd()
        }
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
        let line = answered.first
        #expect(answered.count == 1 && line?.hasPrefix("info:") == true, "\(answered)")
        #expect(value("method", in: line) == "other" && value("route", in: line) == "none", "\(answered)")
        #expect(value("status", in: line) == "\(status)", "\(answered)")
        #expect(line?.contains("origin=uid \(geteuid())") == true, "\(answered)")
        let id = try #require(value("correlationId", in: line))
        #expect(id.count == 36 && answer.contains("client-request-id: \(id)"), "\(answer)")
        #expect(!lines.all.contains { $0.contains("planted") }, "\(lines.all)")
    }
}
