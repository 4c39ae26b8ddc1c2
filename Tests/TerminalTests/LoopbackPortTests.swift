import Foundation
import Glibc
import Moments
import OAuth
import TestSupport
import Testing

@testable import Terminal

/// The port of a command at which a browser ends a sign-in.
@Suite(.timeLimit(.minutes(2)))
struct LoopbackPortTests {
    private static let beginning = "https://login.example/authorize?client_id=ours&state=the-state&scope=openid"

    private func end(_ port: UInt16, host: String = "localhost", path: String = "") throws -> LoopbackEnd {
        try #require(LoopbackEnd("http://\(host):\(port)\(path)", beginning: Self.beginning))
    }

    /// Sends a request as it is, and returns the answer.
    private func answer(_ request: String, _ port: UInt16, at host: String = "127.0.0.1") async throws -> String {
        let client = try RawClient(host: host, port: Int(port))
        client.send(request)
        defer { client.leave() }
        return await client.readToEnd()
    }

    private func get(_ target: String, _ port: UInt16) -> String {
        "GET \(target) HTTP/1.1\r\nHost: localhost:\(port)\r\nAccept: text/html\r\n\r\n"
    }

    private func taking<Value: Sendable>(
        _ port: LoopbackPort,
        _ end: LoopbackEnd,
        _ body: () async throws -> Value
    ) async throws -> (query: String, value: Value) {
        let deadline = Deadline(.seconds(60), after: MomentClock.system.now)
        async let query = port.answer(at: end, until: deadline)
        let value = try await body()
        return (try await query, value)
    }

    @Test("the answer of the sign-in is taken, at either address, and the page has no script and stays in no cache")
    func taken() async throws {
        for host in ["127.0.0.1", "::1"] {
            let port = try LoopbackPort()
            let (query, page) = try await taking(port, end(port.number)) {
                try await answer(get("/?code=c%2F1&state=the-state&iss=x", port.number), port.number, at: host)
            }
            #expect(query == "code=c%2F1&state=the-state&iss=x")
            #expect(page.hasPrefix("HTTP/1.1 200 OK\r\n") && page.contains("goes on in the terminal"), "\(page)")
            for field in [
                "Cache-Control: no-store", "X-Frame-Options: DENY", "frame-ancestors 'none'", "default-src 'none'",
                "Referrer-Policy: no-referrer", "X-Content-Type-Options: nosniff",
            ] {
                #expect(page.contains(field), "\(field)")
            }
            #expect(!page.contains("<script") && !page.contains("c%2F1"))
        }
    }

    @Test("every other request is refused, and ends nothing") func refused() async throws {
        let port = try LoopbackPort()
        let number = port.number
        func head(_ method: String, _ target: String, host: String) -> String {
            "\(method) \(target) HTTP/1.1\r\n\(host)\r\n\r\n"
        }
        let own = "Host: localhost:\(number)"
        let right = "/cb?code=c&state=the-state"
        let requests: [(String, Int)] = [
            (get("/favicon.ico", number), 404), (get("/?code=c&state=the-state", number), 404),
            (get("/cb/?code=c&state=the-state", number), 404), (get("/cb?code=c", number), 400),
            (get("/cb?code=c&state=another", number), 400), (get("/cb?code=c&state=", number), 400),
            (get("/cb?code=%zz&state=the-state", number), 400), (get("/cb", number), 400),
            (head("HEAD", right, host: own), 405), (head("POST", right, host: own), 405),
            (head("OPTIONS", right, host: own), 405), (head("GET", right, host: "Host: evil.example"), 421),
            (head("GET", right, host: "Host: localhost"), 421), (head("GET", right, host: "\(own)\r\n\(own)"), 421),
            (head("GET", right, host: "Host: 127.0.0.1:\(number)"), 421), (head("GET", right, host: "X: y"), 421),
            (head("GET", "http://localhost:\(number)\(right)", host: own), 400), ("nonsense\r\n\r\n", 400),
            ("GET \(right)&x=" + String(repeating: "a", count: 20_000), 431),
        ]
        let (query, _) = try await taking(port, end(number, path: "/cb")) {
            let silent = try RawClient(port: Int(number))
            for (request, status) in requests {
                let page = try await answer(request, number)
                #expect(page.hasPrefix("HTTP/1.1 \(status) "), "\(request.prefix(80)): \(page)")
                #expect(page.contains("Cache-Control: no-store"))
            }
            _ = try await answer(get(right, number), number)
            silent.leave()
        }
        #expect(query == "code=c&state=the-state")
    }

    @Test("many silent connections do not keep the browser out for longer than they may be silent") func silent()
        async throws
    {
        let port = try LoopbackPort()
        let (query, _) = try await taking(port, end(port.number)) {
            let silent = try (0..<24).map { _ in try RawClient(port: Int(port.number)) }
            _ = try await answer(get("/?error=access_denied&state=the-state", port.number), port.number)
            for client in silent { client.leave() }
        }
        #expect(query == "error=access_denied&state=the-state")
    }

    @Test("another user's connection is answered at once, and takes no place") func stranger() async throws {
        let listener = try #require(LoopbackSocket.listen("127.0.0.1", 0).descriptor)
        defer { close(listener) }
        let now = MomentClock.system.now
        let client = try RawClient(port: Int(LoopbackSocket.port(of: listener)))
        let other = LoopbackConnection(at: listener, now: now, user: getuid() + 1)
        #expect(other == nil)
        #expect(await client.readToEnd().hasPrefix("HTTP/1.1 403 Forbidden\r\n"))
        client.leave()
        let own = try RawClient(port: Int(LoopbackSocket.port(of: listener)))
        let taken = try #require(LoopbackConnection(at: listener, now: now))
        close(taken.descriptor)
        own.leave()
    }

    @Test("nobody new is waited for while every place is taken") func full() {
        let places = Array(repeating: Int32(9), count: LoopbackPort.mostConnections)
        #expect(LoopbackPort.polled([7, 8], places).map(\.fd) == [-1, -1] + places)
        #expect(LoopbackPort.polled([7, 8], Array(places.dropLast())).map(\.fd) == [7, 8] + places.dropLast())
    }

    @Test("nothing comes in time, or nobody waits any more") func ends() async throws {
        let port = try LoopbackPort()
        let end = try end(port.number)
        let past = Deadline(.zero, after: MomentClock.system.now)
        let late = await #expect(throws: CommandFailure.self) { try await port.answer(at: end, until: past) }
        #expect(late?.reason == "expired")
        let waiting = Task {
            try await port.answer(at: end, until: Deadline(.seconds(60), after: MomentClock.system.now))
        }
        waiting.cancel()
        let cancelled = await #expect(throws: CommandFailure.self) { try await waiting.value }
        #expect(cancelled?.reason == "cancelled")
    }

    @Test("a port is free again, at each of its addresses, as soon as nobody has it") func addresses() throws {
        func found() throws -> (UInt16, [String]) {
            let port = try LoopbackPort()
            return (port.number, port.addresses)
        }
        let (number, addresses) = try found()
        #expect(["127.0.0.1:\(number)", "[::1]:\(number)"].starts(with: addresses) && !addresses.isEmpty)
        #expect(try LoopbackPort(number).addresses == addresses)
    }

    @Test("a port that somebody has, at one of the two addresses, is not taken") func inUse() throws {
        let first = try LoopbackPort()
        let refused = #expect(throws: CommandFailure.self) { try LoopbackPort(first.number) }
        #expect(refused?.reason == "port_in_use" && refused?.message.contains("\(first.number)") == true)
    }

    @Test(
        "a redirect URI that is not of this machine, or a sign-in without a state, has no end here",
        arguments: [
            ("http://evil.example:80/", LoopbackPortTests.beginning),
            ("https://localhost:1/", LoopbackPortTests.beginning), ("http://localhost/", LoopbackPortTests.beginning),
            ("http://localhost:1@evil/", LoopbackPortTests.beginning),
            ("http://localhost:1/", "https://login.example/authorize"),
            ("http://localhost:1/", "https://login.example/authorize?state="),
        ]
    )
    func noEnd(_ uri: String, _ beginning: String) {
        #expect(LoopbackEnd(uri, beginning: beginning) == nil)
    }
}
