import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization
import TestSupport
import Testing

/// Tests documents that the server sends directly, without a task and without calling their routes.
@Suite(.timeLimit(.minutes(1)))
struct ReadyDocumentTests {
    /// Holds the document that the server sends directly, or `nil` if there is no document.
    private final class Shelf: Sendable {
        let text = Mutex<String?>("ready")
    }

    private let shelf = Shelf()

    /// Runs `test` with a server that sends the document on the shelf directly, and whose route responds with `routed`.
    ///
    /// A first request sets up the pipeline before `test` runs.
    private func serving(_ test: ([ListenAddress]) async throws -> Void) async throws {
        let document: @Sendable (String) -> Response = { text in
            Response(
                status: .ok,
                headers: [.contentType: "text/plain", .cacheControl: "public, max-age=300"],
                body: .init(byteBuffer: ByteBuffer(string: text))
            )
        }
        try await LiveServer.run(
            ready: { [shelf] target in
                guard target == "/document" else { return nil }
                return ReadyDocument(
                    route: "/document",
                    bytes: { shelf.text.withLock { $0.map { Array($0.utf8) } } },
                    response: { document(String(decoding: $0, as: UTF8.self)) }
                )
            },
            routes: { $0.get("document") { _, _ in document("routed") } },
            test: { bound in
                _ = try await RawClient.ask(bound[0], "GET /healthz", host: "tasks.test")
                try await test(bound)
            }
        )
    }

    /// Sends requests in one piece, and returns all responses.
    ///
    /// The last request must make the server close the connection.
    private func answers(_ address: ListenAddress, _ requests: [String]) async throws -> String {
        let client = try RawClient(address)
        client.send(requests.joined())
        return await client.readToEnd()
    }

    private static func get(_ path: String, _ fields: String = "") -> String {
        "GET \(path) HTTP/1.1\r\nHost: tasks.test\r\n\(fields)\r\n"
    }

    private static let last = get("/healthz", "Connection: close\r\n")

    @Test("a plain request is served directly, with the fields that its route would send") func plain()
        async throws
    {
        try await serving { bound in
            let ready = try await answers(bound[0], [Self.get("/document", "Accept: */*\r\n"), Self.last])
            let routed = try await answers(bound[0], [Self.get("/document", "Range: bytes=0-\r\n"), Self.last])
            #expect(ready.contains("\r\n\r\nready"))
            #expect(routed.contains("\r\n\r\nrouted"))
            let fields = [ready, routed].map { Set(Self.fields(of: $0).map { $0.lowercased() }) }
            #expect(fields[0] == fields[1])
            #expect(fields[0].contains("client-request-id") && fields[0].contains("date"))
            #expect(ready.contains("default-src 'none'") && ready.contains("public, max-age=300"))
        }
    }

    /// Returns the names of the header fields in the first response.
    private static func fields(of answers: String) -> [String] {
        answers.components(separatedBy: "\r\n\r\n")[0].components(separatedBy: "\r\n").dropFirst()
            .compactMap { $0.split(separator: ":").first.map(String.init) }
    }

    @Test(
        "a request that needs a different response goes to its route",
        arguments: [
            "client-request-id: 7d444840-9dc0-11d1-b245-5ffdce74fad2\r\n", "Origin: https://a.example\r\n",
            "Content-Length: 0\r\n", "Expect: 100-continue\r\n", "Cookie: a=b\r\n",
        ]
    )
    func notPlain(_ fields: String) async throws {
        try await serving { bound in
            let answer = try await answers(bound[0], [Self.get("/document", fields), Self.last])
            #expect(answer.contains("\r\n\r\nrouted"), "\(answer)")
        }
    }

    @Test("Connection: close, another method, a query and HTTP/1.0 go to the route") func otherForms()
        async throws
    {
        try await serving { bound in
            let ended = try await answers(bound[0], [Self.get("/document", "Connection: close\r\n")])
            #expect(ended.hasSuffix("\r\n\r\nrouted"))
            let old = try await answers(bound[0], ["GET /document HTTP/1.0\r\nHost: tasks.test\r\n\r\n"])
            #expect(old.hasSuffix("\r\n\r\nrouted"))
            let asked = try await answers(bound[0], [Self.get("/document?a=b"), Self.last])
            #expect(asked.contains("\r\n\r\nrouted"))
            let head = try await answers(bound[0], ["HEAD /document HTTP/1.1\r\nHost: tasks.test\r\n\r\n", Self.last])
            #expect(!head.contains("ready") && !head.contains("\r\n\r\nrouted"))
        }
    }

    @Test("a foreign host and two hosts are still refused") func hosts() async throws {
        try await serving { bound in
            let foreign = "GET /document HTTP/1.1\r\nHost: evil.test\r\n\r\n"
            let misdirected = try await answers(bound[0], [foreign, Self.last])
            #expect(misdirected.hasPrefix("HTTP/1.1 421"))
            let doubled = try await answers(bound[0], [Self.get("/document", "Host: tasks.test\r\n"), Self.last])
            #expect(doubled.hasPrefix("HTTP/1.1 400"))
        }
    }

    @Test("many requests in one piece are served in order") func pipelined() async throws {
        try await serving { bound in
            let echo = "POST /echo HTTP/1.1\r\nHost: tasks.test\r\nContent-Length: 4\r\n\r\n"
            let numbers = (1000..<1020).map { String($0) }
            let requests = numbers.flatMap { [Self.get("/document"), echo + $0] }
            let answer = try await answers(bound[0], requests + [Self.last])
            let bodies = answer.components(separatedBy: "HTTP/1.1 200 OK").dropFirst()
                .map { $0.components(separatedBy: "\r\n\r\n")[1] }
            // A document is `ready` if the server sent it directly, or `routed` if another request was in progress.
            let kinds = bodies.map { $0.hasPrefix("r") ? "document" : $0 }
            let expected = numbers.flatMap { ["document", $0] } + ["{\"status\":\"ok\"}"]
            #expect(kinds == expected)
            #expect(bodies.first == "ready")
        }
    }

    @Test("a changed document is served at once, and without a document the route responds") func changes() async throws
    {
        try await serving { bound in
            func ask() async throws -> String { try await answers(bound[0], [Self.get("/document"), Self.last]) }
            #expect(try await ask().contains("\r\n\r\nready"))
            shelf.text.withLock { $0 = "more than before" }
            let changed = try await ask()
            #expect(changed.contains("\r\n\r\nmore than before"))
            #expect(changed.lowercased().contains("content-length: 16"))
            shelf.text.withLock { $0 = nil }
            #expect(try await ask().contains("\r\n\r\nrouted"))
        }
    }

    @Test("metrics count the document under its route") func counted() async throws {
        try await serving { bound in
            _ = try await answers(bound[0], [Self.get("/document"), Self.get("/document"), Self.last])
            let page = try await RawClient.ask(bound[0], "GET /metrics", host: "tasks.test")
            #expect(
                page.contains("http_requests_total{method=\"GET\",route=\"/document\",status=\"200\"} 2"),
                "\(page)"
            )
        }
    }
}
