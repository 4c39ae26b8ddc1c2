import Foundation
import HTTPServer
import TestSupport
import Testing

/// Tests requests that are sent to the server as exact bytes.
@Suite(.timeLimit(.minutes(1)))
struct RawRequestTests {
    private static func answer(
        _ text: String,
        limits: HTTPLimits = HTTPLimits(),
        ends: Bool = false
    ) async throws -> String {
        try await whole(text, limits: limits, ends: ends).text
    }

    /// Sends `text` to a server, and returns the responses and whether the server then closed the connection.
    private static func whole(
        _ text: String,
        limits: HTTPLimits = HTTPLimits(),
        ends: Bool = false
    ) async throws -> (text: String, isClosed: Bool) {
        var answer = (text: "", isClosed: false)
        try await LiveServer.run(limits: limits) { bound in
            let client = try RawClient(bound[0])
            client.send(text)
            if ends { client.finishSending() }
            answer = await client.readWhole()
        }
        return answer
    }

    private static func post(_ fields: String, _ body: String = "") -> String {
        "POST /echo HTTP/1.1\r\nHost: tasks.test\r\nConnection: close\r\n\(fields)\r\n\r\n\(body)"
    }

    @Test("two Host fields, or a target with another host, are 400, and a target with the same host is accepted")
    func hosts()
        async throws
    {
        let twice = try await Self.answer(
            "GET /healthz HTTP/1.1\r\nHost: tasks.test\r\nHost: tasks.test\r\nConnection: close\r\n\r\n"
        )
        #expect(twice.hasPrefix("HTTP/1.1 400"))
        let other = try await Self.answer(
            "GET http://evil.test/healthz HTTP/1.1\r\nHost: tasks.test\r\nConnection: close\r\n\r\n"
        )
        #expect(other.hasPrefix("HTTP/1.1 400"))
        let own = try await Self.answer(
            "GET http://Tasks.test/healthz HTTP/1.1\r\nHost: tasks.test\r\nConnection: close\r\n\r\n"
        )
        #expect(own.hasPrefix("HTTP/1.1 200"))
        let none = try await Self.answer("GET http://tasks.test/healthz HTTP/1.1\r\nConnection: close\r\n\r\n")
        #expect(none.hasPrefix("HTTP/1.1 400"))
    }

    @Test(
        "a malformed or truncated body is 400",
        arguments: [
            ("Transfer-Encoding: chunked", "zz\r\nabc\r\n0\r\n\r\n"),
            ("Transfer-Encoding: chunked", "5\r\nabc"), ("Content-Length: 10", "abc"),
            ("Transfer-Encoding: chunked", "3\r\nabcdef\r\n0\r\n\r\n"),
        ]
    )
    func malformedBody(_ field: String, _ body: String) async throws {
        let answer = try await Self.answer(Self.post(field, body), ends: true)
        #expect(answer.hasPrefix("HTTP/1.1 400"))
        #expect(answer.contains("\"error\":\"invalid_request\""))
        #expect(answer.lowercased().contains("connection: close"))
    }

    @Test("an unknown transfer coding is 501", arguments: ["gzip", "gzip, chunked", "identity"])
    func transferCodings(_ coding: String) async throws {
        let answer = try await Self.answer(Self.post("Transfer-Encoding: \(coding)", "3\r\nabc\r\n0\r\n\r\n"))
        #expect(answer.hasPrefix("HTTP/1.1 501"))
    }

    @Test(
        "after an unknown transfer coding nothing is read: there is one response, and the connection closes",
        arguments: [
            ("gzip, chunked", 501), ("xchunked", 501), ("identity", 501), ("gzip\r\nTransfer-Encoding: chunked", 501),
            // RFC 9112 §6.3: the last transfer coding must be `chunked`.
            ("chunked, gzip", 400), ("chunked\r\nTransfer-Encoding: identity", 400),
        ]
    )
    func nothingBehind(_ codings: String, _ status: Int) async throws {
        let next = "GET /healthz HTTP/1.1\r\nHost: tasks.test\r\n\r\n"
        for (before, body) in [("", "0\r\n\r\n"), ("", ""), (next, "3\r\nabc\r\n0\r\n\r\n")] {
            let head = "POST /echo HTTP/1.1\r\nHost: tasks.test\r\nTransfer-Encoding: \(codings)\r\n\r\n"
            let (answer, isClosed) = try await Self.whole(before + head + body + next)
            // The body of a response may also contain `HTTP/1.1`, so the pattern requires a status code after it.
            let answers = answer.split(separator: /HTTP\/1\.1 (?=\d{3} )/).map(String.init)
            #expect(answers.count == (before.isEmpty ? 1 : 2), "\(answer)")
            let last = try #require(answers.last)
            #expect(last.hasPrefix("\(status)") && last.lowercased().contains("connection: close"), "\(answer)")
            #expect(isClosed, "\(answer)")
        }
    }

    @Test("a compressed body is 415") func contentCodings() async throws {
        let answer = try await Self.answer(Self.post("Content-Encoding: gzip\r\nContent-Length: 3", "abc"))
        #expect(answer.hasPrefix("HTTP/1.1 415") && answer.contains("Accept-Encoding: identity"))
        let plain = try await Self.answer(Self.post("Content-Encoding: identity\r\nContent-Length: 3", "abc"))
        #expect(plain.hasSuffix("\r\n\r\nabc"))
    }

    @Test(
        "a body in another character set than UTF-8 is 415",
        arguments: [
            "application/json; charset=iso-8859-1", "application/json;charset=\"utf-16\"", "text/plain; Charset=",
            "text/plain; charset", "text/plain; charset=utf-8; charset=latin1", "text/plain; a=\";\"; charset=utf-7",
        ]
    )
    func foreignCharsets(_ type: String) async throws {
        let answer = try await Self.answer(Self.post("Content-Type: \(type)\r\nContent-Length: 3", "abc"))
        #expect(answer.hasPrefix("HTTP/1.1 415"), "\(answer)")
        #expect(answer.contains("the body must be UTF-8: omit charset, or use charset=utf-8"))
    }

    @Test(
        "a body in UTF-8 is accepted in every spelling of the name",
        arguments: [
            "application/json", "application/json; charset=utf-8", "application/json;CHARSET=UTF-8",
            "application/json; charset=\"Utf-8\"", "text/plain; a=\"; charset=latin1\" ; charset = utf-8",
            "text/plain; format=flowed",
        ]
    )
    func charset(_ type: String) async throws {
        let answer = try await Self.answer(Self.post("Content-Type: \(type)\r\nContent-Length: 3", "abc"))
        #expect(answer.hasSuffix("\r\n\r\nabc"), "\(answer)")
    }

    @Test("a request without a body may state any character set") func noBody() async throws {
        let answer = try await Self.answer(
            "GET /healthz HTTP/1.1\r\nHost: tasks.test\r\nContent-Type: text/plain; charset=latin1\r\n"
                + "Connection: close\r\n\r\n"
        )
        #expect(answer.hasPrefix("HTTP/1.1 200"))
    }

    @Test("header fields that are too large are 431, also with a body", arguments: [1, 200])
    func headers(_ count: Int) async throws {
        let field = count == 1 ? "X-A: " + String(repeating: "a", count: 40_000) : "X-A: a"
        let fields = Array(repeating: field, count: count).joined(separator: "\r\n")
        let answer = try await Self.answer("GET /healthz HTTP/1.1\r\nHost: tasks.test\r\n\(fields)\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 431"))
        #expect(answer.contains("\"error\":\"too_large\"") && answer.contains("correlation_id"))
    }

    @Test("a client that expects 100-continue is told to send the body, unless the request is refused")
    func expectations() async throws {
        try await LiveServer.run { bound in
            let client = try RawClient(bound[0])
            client.send(Self.post("Expect: 100-continue\r\nContent-Length: 3"))
            #expect(await client.readHead().hasPrefix("HTTP/1.1 100"))
            client.send("abc")
            #expect(await client.readToEnd().hasSuffix("\r\n\r\nabc"))
        }
        let tooLarge = try await Self.answer(Self.post("Expect: 100-continue\r\nContent-Length: 99999999"), ends: true)
        #expect(tooLarge.hasPrefix("HTTP/1.1 413"))
        let unknown = try await Self.answer(Self.post("Expect: wonders\r\nContent-Length: 3", "abc"))
        #expect(unknown.hasPrefix("HTTP/1.1 417"))
    }

    @Test("HTTP/1.0 gets one response, and then the connection closes") func oldVersion() async throws {
        let request = "GET /healthz HTTP/1.0\r\nHost: tasks.test\r\nConnection: keep-alive\r\n\r\n"
        let answer = try await Self.answer(request + request)
        #expect(answer.components(separatedBy: "HTTP/1.1 200").count == 2)
        #expect(answer.lowercased().contains("connection: close"))
    }

    @Test("the response to HEAD has the length of GET's and no body", arguments: ["/healthz", "/metrics", "/nothing"])
    func head(_ path: String) async throws {
        let answer = try await Self.answer("HEAD \(path) HTTP/1.1\r\nHost: tasks.test\r\nConnection: close\r\n\r\n")
        #expect(answer.hasPrefix(path == "/nothing" ? "HTTP/1.1 404" : "HTTP/1.1 200"))
        #expect(answer.hasSuffix("\r\n\r\n") && answer.contains("Content-Length: "))
        #expect(!answer.contains("Content-Length: 0\r\n"))
    }

    @Test("pipelined requests are served in order") func pipelined() async throws {
        let good = "HEAD /healthz HTTP/1.1\r\nHost: tasks.test\r\n\r\n"
        let answer = try await Self.answer(good + good + "GET /x HTTP/9.9\r\n\r\n")
        #expect(answer.components(separatedBy: "HTTP/1.1 200").count == 3)
        #expect(answer.contains("HTTP/1.1 505") || answer.contains("HTTP/1.1 400"))
    }
}
