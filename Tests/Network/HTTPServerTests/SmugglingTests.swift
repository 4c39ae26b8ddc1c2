import Foundation
import HTTPServer
import TestSupport
import Testing

/// Tests requests that two servers could end at different positions (request smuggling, RFC 9112 §11.2).
@Suite(.timeLimit(.minutes(1)))
struct SmugglingTests {
    private static let smuggled = "GET /metrics HTTP/1.1\r\nHost: tasks.test\r\n\r\n"

    @Test(
        "a request with an ambiguous end is rejected, and the bytes after it are never read as a request",
        arguments: [
            "Content-Length: 0\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 0",
            "Content-Length: 0\r\nContent-Length: 44", "Content-Length: 0, 44", "Content-Length: +0",
            "Content-Length: 0x0", "Content-Length: -1", "Content-Length : 0", "Transfer-Encoding : chunked",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", "Transfer-Encoding: xchunked",
            "Transfer-Encoding:\u{b}chunked", "X: y\r\n Content-Length: 0", "X: y\nContent-Length: 0",
        ]
    )
    func ambiguous(_ fields: String) async throws {
        try await LiveServer.run { bound in
            let client = try RawClient(bound[0])
            client.send("POST /echo HTTP/1.1\r\nHost: tasks.test\r\n\(fields)\r\n\r\n0\r\n\r\n\(Self.smuggled)")
            client.finishSending()
            let answer = await client.readToEnd()
            #expect(answer.hasPrefix("HTTP/1.1 4") || answer.hasPrefix("HTTP/1.1 501"))
            #expect(!answer.contains("HTTP/1.1 200"))
        }
    }

    @Test("the bytes after the last chunk of a request are the next request, once") func chunked() async throws {
        try await LiveServer.run { bound in
            let client = try RawClient(bound[0])
            client.send(
                "POST /echo HTTP/1.1\r\nHost: tasks.test\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
                    + "GET /healthz HTTP/1.1\r\nHost: tasks.test\r\nConnection: close\r\n\r\n"
            )
            let answer = await client.readToEnd()
            #expect(answer.components(separatedBy: "HTTP/1.1 200").count == 3)
        }
    }
}
