import Foundation
import Glibc
import NIOCore
import NIOEmbedded
import TestSupport
import Testing

@testable import Terminal

/// Tests the local port that redirects a browser to a sign-in link.
///
/// The program that opens links gets the port's address as an argument instead of the link itself.
@Suite(.timeLimit(.minutes(2)))
struct OpeningPortTests {
    private static let link = "https://login.example/local/flow/x"

    /// Returns the port number and the path in the address of `port`.
    private func parts(_ port: OpeningPort) throws -> (number: Int, path: String) {
        let match = try #require(port.address.wholeMatch(of: /http:\/\/localhost:(\d+)(\/open\/[A-Za-z0-9_-]{22})/))
        return (try #require(Int(match.1)), String(match.2))
    }

    /// Sends a request with this request line, and returns the response.
    private func answer(_ line: String, _ port: Int, at host: String = "127.0.0.1") async throws -> String {
        let client = try RawClient(host: host, port: port)
        client.send("\(line)\r\nHost: localhost:\(port)\r\n\r\n")
        return await client.readToEnd()
    }

    @Test("a browser of the same uid is redirected once, at either address, without a referrer or a cache")
    func leads() async throws {
        for host in ["127.0.0.1", "::1"] {
            let port = try #require(OpeningPort(to: Self.link))
            let (number, path) = try parts(port)
            #expect(!port.address.contains("flow"))
            let first = try await answer("GET \(path) HTTP/1.1", number, at: host)
            #expect(first.hasPrefix("HTTP/1.1 303 See Other\r\nLocation: \(Self.link)\r\n"), "\(first)")
            for field in ["Referrer-Policy: no-referrer", "Cache-Control: no-store", "Connection: close"] {
                #expect(first.contains("\r\n\(field)\r\n"), "\(field): \(first)")
            }
            for host in ["127.0.0.1", "::1"] {
                let again = try await answer("GET \(path) HTTP/1.1", number, at: host)
                #expect(again.hasPrefix("HTTP/1.1 410 Gone\r\n") && !again.contains("flow"), "\(again)")
                #expect(again.contains("Open the link shown in the terminal."), "\(again)")
            }
        }
    }

    @Test("other requests are refused, and do not use up the link") func others() async throws {
        let (number, path) = try parts(try #require(OpeningPort(to: Self.link)))
        for (line, status) in [
            ("HEAD \(path) HTTP/1.1", 405), ("POST \(path) HTTP/1.1", 405), ("GET /open/1 HTTP/1.1", 404),
            ("GET \(path)x HTTP/1.1", 404), ("GET \(path)?x HTTP/1.1", 404), ("GET / HTTP/1.1", 404),
            ("GET \(path)", 400), ("", 400), ("GET \(path) HTTP/2", 400),
        ] {
            let refused = try await answer(line, number)
            #expect(refused.hasPrefix("HTTP/1.1 \(status) ") && !refused.contains("Location"), "\(line): \(refused)")
        }
        let client = try RawClient(host: "127.0.0.1", port: number)
        client.send("GET \(path) HTTP/1.1\r\nCookie: " + String(repeating: "c", count: 70_000))
        #expect(await client.readToEnd().hasPrefix("HTTP/1.1 431 "))
        #expect(try await answer("GET \(path) HTTP/1.1", number).hasPrefix("HTTP/1.1 303 "))
    }

    @Test("a browser of another uid is not redirected, and does not use up the link") func stranger() async throws {
        let (number, path) = try parts(try #require(OpeningPort(to: Self.link, for: geteuid() + 1)))
        for _ in 0..<2 {
            let refused = try await answer("GET \(path) HTTP/1.1", number)
            #expect(refused.hasPrefix("HTTP/1.1 403 Forbidden\r\n") && !refused.contains("flow"), "\(refused)")
        }
    }

    @Test("other users have few connections, and cannot displace the link's own user") func places() {
        let way = OpeningWay(path: "/open/x", link: Self.link)
        let strangers = (0..<9).map { _ in EmbeddedChannel() }
        #expect(strangers.map { way.admit($0, isOwn: false) } == Array(repeating: true, count: 8) + [false])
        #expect(way.admit(EmbeddedChannel(), isOwn: true))
        _ = try? strangers[0].finish()
        #expect(way.admit(EmbeddedChannel(), isOwn: false))
    }

    @Test("the port is closed when it expires, after a minute for a link") func closed() async throws {
        #expect(OpeningPort.life == .seconds(60))
        let timers = NIOAsyncTestingEventLoop()
        let (number, path) = try parts(try #require(OpeningPort(to: Self.link, timers: timers)))
        await timers.advanceTime(by: OpeningPort.life - .nanoseconds(1))
        #expect(try await answer("GET \(path) HTTP/1.1", number).hasPrefix("HTTP/1.1 303 "))
        await timers.advanceTime(by: .nanoseconds(1))
        try await waitUntil("the port is closed") {
            ["127.0.0.1", "::1"].allSatisfy { host in
                guard let client = try? RawClient(host: host, port: number) else { return true }
                client.leave()
                return false
            }
        }
    }

    @Test(
        "only an http or https address is opened, and none can inject a header field",
        arguments: [
            "file:///etc/passwd", "javascript:alert(1)", "-x", "", "https://x/\r\nSet-Cookie: a=b", "http://x/ä",
        ]
    )
    func hostile(_ link: String) { #expect(OpeningPort(to: link) == nil) }
}
