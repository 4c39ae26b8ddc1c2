import DurableSQLite
import FlowModel
import Foundation
import GRDB
import HTTPServer
import HTTPTypes
import Hummingbird
import NIOCore
import OAuth
import TestSupport
import Testing

@testable import AuthorityStore
@testable import AuthorityWeb

@Suite(.timeLimit(.minutes(1)))
struct PageFaultTests {
    @Test("a store fault at a flow's form yields 503 with Retry-After, reveals nothing, and is logged")
    func store()
        async throws
    {
        let scene = try BrowserScene()
        var browser = TestBrowser(scene)
        try await browser.authorize()
        let page = try await browser.page()
        try await scene.store.core.database.write { db in try db.execute(sql: "DROP TABLE attempts") }
        let answer = try await browser.post(["username": "ada@example.org", "password": "Wrong-horse-7"], from: page)
        #expect(answer.status == 503 && !answer.text.contains("attempts") && answer.headers[.location] == nil)
        #expect(answer.headers[.retryAfter].flatMap { Int($0) } ?? 0 > 0)
        #expect(scene.log.all.contains { $0.hasPrefix("error: page failed") && $0.contains("no such table") })
    }

    @Test("every refusal has its status, and 429 and 503 say how long to wait", arguments: Refusal.Reason.allCases)
    func statuses(_ reason: Refusal.Reason) {
        let log = LogLines()
        let head = HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: "/device")
        let context = HTTPContext(logger: log.logger, correlationID: "c", isLocal: true)
        let writer = PageWriter(
            place: AuthorityPaths(base: "http://localhost", tenant: "local"),
            request: Request(head: head, body: RequestBody(buffer: ByteBuffer())),
            context: context,
            policy: nil
        )
        let known = writer.refusal(Refusal(reason, Text(exactly: "no")).retrying(afterMs: 61_001))
        let unknown = writer.refusal(Refusal(reason, Text(exactly: "no")).because("the cause"))
        let waits = known.status == .tooManyRequests || known.status == .serviceUnavailable
        #expect(known.headers[.retryAfter] == (waits ? "62" : nil))
        #expect((unknown.headers[.retryAfter] != nil) == waits)
        let isFault = known.status.code >= 500
        #expect(log.all.contains { $0.contains("the cause") } == isFault)
        switch reason {
        case .blocked, .limitExceeded: #expect(known.status == .tooManyRequests)
        case .storageFailed, .shuttingDown: #expect(known.status == .serviceUnavailable)
        case .providerUnavailable, .providerProtocol: #expect(known.status == .badGateway)
        default: #expect((400..<429).contains(known.status.code))
        }
    }
}
