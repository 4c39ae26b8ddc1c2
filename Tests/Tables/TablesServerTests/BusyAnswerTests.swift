import FlowModel
import HTTPServer
import HTTPTypes
import Hummingbird
import Localization
import Logging
import NIOCore
import OAuth
import Storage
import TablesStore
import TestSupport
import Testing

@testable import TablesServer

/// Tests of responses that ask the client to try again later.
@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct BusyAnswerTests {
    @Test(
        "an unavailable store is 503 with the seconds to wait and a message",
        arguments: [
            (StoreError(.busy, "private"), "5", "The server is busy. Try again."),
            (StoreError(.limitExceeded, "private"), "5", "The server is busy. Try again."),
            (StoreError(.full, "private"), "60", "The server's disk is full."),
        ]
    )
    func store(_ error: StoreError, _ seconds: String, _ sentence: String) async throws {
        try await expect(error, seconds, sentence)
    }

    @Test("a deletion of rows that keep changing is 503 with one second to wait") func changing() async throws {
        try await expect(TablesStoreError(.changing), "1", "The rows are being changed. Nothing was deleted.")
    }

    private func expect(_ error: any Error, _ seconds: String, _ sentence: String) async throws {
        let router = Router(context: HTTPContext.self)
        router.get("x") { _, context in try await TableAnswers.answering(context) { throw error } }
        let pipeline = HTTPPipeline(
            router: router,
            hosts: .any,
            errors: .tables,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        let head = HTTPRequest(method: .get, scheme: "http", authority: "tasks.test", path: "/x")
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
        let response = await pipeline.respond(to: request, at: .tcp(host: "127.0.0.1", port: 3000))
        let collector = BodyCollector()
        try await response.body.write(collector)
        let body = try StrictJSON.parse(collector.bytes).object
        #expect(response.status == .serviceUnavailable && response.headers[.retryAfter] == seconds)
        #expect(body?["code"] == 503 && body?["error"] == .string(sentence))
        #expect(body?["correlationId"]?.string?.count == 36 && body?.count == 4)
        #expect(body.flatMap { Text(members: $0) }?.english == sentence)
    }
}
