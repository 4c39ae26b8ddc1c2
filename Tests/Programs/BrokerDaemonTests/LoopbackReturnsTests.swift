import HTTPServer
import NIOCore
import NIOEmbedded
import NIOPosix
import OAuth
import TestSupport
import Testing

@testable import BrokerDaemon

/// Tests the daemon's loopback ports, to which browsers return after a sign-in.
@Suite(.timeLimit(.minutes(2)))
struct LoopbackReturnsTests {
    private static let next = "https://login.example/local/oauth2/authresp"
    private static let query = "code=c%2F1&state=the-state&iss=x"

    private let returns = LoopbackReturns(on: MultiThreadedEventLoopGroup.singleton) { Self.next }

    private func opened(
        _ address: String = "http://localhost",
        state: Secret? = Secret("the-state"),
        by timed: LoopbackReturns? = nil
    ) throws -> LoopbackReturns.Opened {
        try (timed ?? returns).open(try #require(LoopbackURI(address)), state: state, life: .minutes(2))
    }

    /// Sends the bytes of a request, and returns the response.
    private func answer(_ request: String, _ port: UInt16, at host: String = "127.0.0.1") async throws -> String {
        let client = try RawClient(host: host, port: Int(port))
        client.send(request)
        return await client.readToEnd()
    }

    private func get(_ target: String, _ port: UInt16) -> String {
        "GET \(target) HTTP/1.1\r\nHost: localhost:\(port)\r\nAccept: text/html\r\n\r\n"
    }

    /// Waits until no process listens on a port.
    private func closing(_ port: UInt16) async throws {
        try await waitUntil("the port \(port) is closed") {
            ["127.0.0.1", "::1"].allSatisfy { host in
                guard let client = try? RawClient(host: host, port: Int(port)) else { return true }
                client.leave()
                return false
            }
        }
    }

    @Test("the response of a sign-in is forwarded unchanged, at either address, without a cache or a referrer")
    func goesOn() async throws {
        let port = try opened()
        for host in ["127.0.0.1", "::1"] {
            let answer = try await answer(get("/?\(Self.query)", port.number), port.number, at: host)
            #expect(answer.hasPrefix("HTTP/1.1 303 See Other\r\n"), "\(answer)")
            for field in [
                "Location: \(Self.next)?\(Self.query)", "Cache-Control: no-store", "Referrer-Policy: no-referrer",
                "Content-Length: 0", "Connection: close",
            ] {
                #expect(answer.contains("\r\n\(field)\r\n"), "\(field): \(answer)")
            }
            #expect(answer.hasSuffix("\r\n\r\n"))
        }
        port.close()
    }

    @Test("every other request is refused and closes no port") func refused() async throws {
        let port = try opened("http://localhost/cb")
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
            (get("/cb?state=the-state&code=c&state=the-state", number), 400),
            (get("\(right)&x=\r", number), 400), (get("\(right)&x=\nSet-Cookie:a=b", number), 400),
            (get("\(right)&x=\u{E9}", number), 400),
            (head("HEAD", right, host: own), 405), (head("POST", right, host: own), 405),
            (head("OPTIONS", right, host: own), 405), (head("GET", right, host: "Host: evil.example"), 421),
            (head("GET", right, host: "Host: localhost"), 421), (head("GET", right, host: "\(own)\r\n\(own)"), 421),
            (head("GET", right, host: "Host: 127.0.0.1:\(number)"), 421), (head("GET", right, host: "X: y"), 421),
            (head("GET", "http://localhost:\(number)\(right)", host: own), 400), ("nonsense\r\n\r\n", 400),
            ("GET \(right)&x=" + String(repeating: "a", count: 20_000), 431),
        ]
        for (request, status) in requests {
            let answer = try await answer(request, number)
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(request.prefix(80)): \(answer)")
            #expect(answer.contains("Cache-Control: no-store") && !answer.contains("Location"), "\(answer)")
        }
        #expect(try await answer(get(right, number), number).hasPrefix("HTTP/1.1 303 "))
        port.close()
    }

    @Test("many silent connections do not keep the browser out") func silent() async throws {
        let port = try opened()
        let silent = try (0..<24).map { _ in try RawClient(port: Int(port.number)) }
        #expect(try await answer(get("/?\(Self.query)", port.number), port.number).hasPrefix("HTTP/1.1 303 "))
        for client in silent { client.leave() }
        port.close()
    }

    @Test("at most sixteen connections are open, and a new one replaces the oldest") func places() throws {
        let places = LoopbackPlaces { Self.next }
        let channels = try (0..<17).map { _ in
            let channel = EmbeddedChannel()
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
            places.admit(channel)
            return channel
        }
        #expect(channels.map(\.isActive) == [false] + Array(repeating: true, count: 16))
        // A closed connection makes room for a new one.
        _ = try channels[5].finish()
        let one = EmbeddedChannel()
        places.admit(one)
        #expect(channels[1].isActive)
        for channel in channels where channel.isActive { _ = try channel.finish() }
        _ = try one.finish()
    }

    @Test("a connection lasts five seconds, whatever it has sent") func patience() throws {
        let channel = EmbeddedChannel(handler: LoopbackHandler(LoopbackPlaces { Self.next }))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(4_999))
        try channel.writeInbound(ByteBuffer(string: "GET / HTTP/1.1\r\n"))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(!channel.isActive)
    }

    @Test("a port is closed when its sign-in has ended or expired, and can then be used again") func ends()
        async throws
    {
        let timers = Self.timers
        let returns = LoopbackReturns(on: MultiThreadedEventLoopGroup.singleton, timers: timers) { Self.next }
        let port = try opened(by: returns)
        port.close()
        try await closing(port.number)
        #expect(returns.count == 0)
        let again = try opened("http://127.0.0.1:\(port.number)", by: returns)
        #expect(again.number == port.number)
        await timers.advanceTime(by: .minutes(2))
        try await closing(port.number)
        #expect(returns.count == 0)
        // Closing a port a second time must not close a new port with the same number.
        let other = try opened("http://127.0.0.1:\(port.number)", by: returns)
        again.close()
        port.close()
        let request = "GET /?\(Self.query) HTTP/1.1\r\nHost: 127.0.0.1:\(port.number)\r\n\r\n"
        #expect(try await answer(request, port.number).hasPrefix("HTTP/1.1 303 "))
        other.close()
    }

    /// The event loop that runs the ports' expiry timers.
    ///
    /// It never stops, because a port cancels its timer only after it has closed, possibly after its test has ended.
    private static let timers = NIOAsyncTestingEventLoop()

    @Test("a port that is released and requested again at once is not lost") func atOnce() async throws {
        var port = try opened()
        for _ in 0..<50 {
            port.close()
            port = try opened("http://localhost:\(port.number)")
        }
        #expect(try await answer(get("/?\(Self.query)", port.number), port.number).hasPrefix("HTTP/1.1 303 "))
        port.close()
        try await closing(port.number)
    }

    @Test("sign-ins share a port, each identified by its state, and end separately") func shared() async throws {
        let first = try opened()
        let second = try opened("http://127.0.0.1:\(first.number)/cb", state: Secret("another"))
        func status(_ host: String, _ target: String) async throws -> String {
            let request = "GET \(target) HTTP/1.1\r\nHost: \(host):\(first.number)\r\n\r\n"
            return try await answer(request, first.number).split(separator: " ").dropFirst().first.map(String.init)
                ?? ""
        }
        #expect(try await status("localhost", "/?state=the-state") == "303")
        #expect(try await status("127.0.0.1", "/cb?state=another") == "303")
        // A request with the address of one sign-in and the state of the other belongs to neither.
        #expect(try await status("localhost", "/?state=another") == "400")
        #expect(try await status("127.0.0.1", "/cb?state=the-state") == "400")
        first.close()
        #expect(try await status("localhost", "/?state=the-state") == "421")
        #expect(try await status("127.0.0.1", "/cb?state=another") == "303")
        second.close()
        try await closing(first.number)
    }

    @Test("a reserved port forwards no browser") func kept() async throws {
        let port = try opened(state: nil)
        #expect(try await answer(get("/?\(Self.query)", port.number), port.number).hasPrefix("HTTP/1.1 400 "))
        #expect(try await answer(get("/?code=c&state=", port.number), port.number).hasPrefix("HTTP/1.1 400 "))
        port.close()
    }

    @Test("a port that another process uses at one of the two addresses is not opened") func inUse() throws {
        for host in ["127.0.0.1", "::1"] {
            let other = try ListeningSocket(.tcp(host: host, port: 0))
            defer { other.close() }
            guard case .tcp(_, let number) = other.address else {
                Issue.record("\(other.address) is no port")
                continue
            }
            let refused = #expect(throws: ListenError.self) { try opened("http://localhost:\(number)") }
            #expect(refused?.code == .inUse && refused?.address.contains("\(number)") == true)
            // The refused port is not stored.
            #expect(returns.count == 0)
            let free = try ListeningSocket(.tcp(host: host == "::1" ? "127.0.0.1" : "::1", port: number))
            free.close()
        }
    }

    @Test("at port 80 a browser's Host field has no port") func usualPort() throws {
        let end = LoopbackEnd(try #require(LoopbackURI("http://localhost:80")), port: 80, state: Secret("x"))
        #expect(end.hosts == ["localhost", "localhost:80"] && end.path == "/")
        let other = LoopbackEnd(try #require(LoopbackURI("http://[::1]/a")), port: 8400, state: Secret("x"))
        #expect(other.hosts == ["[::1]:8400"] && other.path == "/a")
    }
}
