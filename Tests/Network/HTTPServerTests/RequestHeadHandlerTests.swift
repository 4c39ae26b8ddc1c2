import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import HTTPServer

@Suite(.timeLimit(.minutes(1)))
struct RequestHeadHandlerTests {
    private let channel = EmbeddedChannel(handler: RequestHeadHandler())

    /// Makes the handler receive a request with a body and this transfer coding, followed by another request.
    private func receive(_ coding: String) throws {
        let head = HTTPRequestHead(
            version: .http1_1,
            method: .POST,
            uri: "/first",
            headers: ["Host": "tasks.test", "Transfer-Encoding": coding]
        )
        let next = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/second", headers: ["Host": "tasks.test"])
        let parts: [HTTPServerRequestPart] = [
            .head(head), .body(ByteBuffer(string: "abc")), .end(nil), .head(next), .end(nil),
        ]
        for part in parts { try channel.writeInbound(part) }
    }

    /// Returns the parts that the handler has passed on, in order.
    private func passed() throws -> [String] {
        var passed: [String] = []
        while let part = try channel.readInbound(as: HTTPServerRequestPart.self) {
            switch part {
            case .head(let head): passed.append(head.uri)
            case .body: passed.append("body")
            case .end: passed.append("end")
            }
        }
        return passed
    }

    @Test("a request with a known transfer coding is passed on, and so is the following one") func known() throws {
        try receive("chunked")
        #expect(try passed() == ["/first", "body", "end", "/second", "end"])
    }

    @Test(
        "RFC 9112 6.3: of a request with an unknown transfer coding only the head is passed on, and nothing after it",
        arguments: ["gzip", "gzip, chunked", "chunked, gzip", "identity"]
    )
    func unknown(_ coding: String) throws {
        try receive(coding)
        channel.pipeline.fireErrorCaught(HTTPParserError.invalidChunkSize)
        try channel.throwIfErrorCaught()
        #expect(try passed() == ["/first", "end"])
    }
}
