import AsyncHTTPClient
import Foundation
import NIOCore
import NIOEmbedded
import NIOHTTP1
import OAuth
import TestSupport
import Testing

@testable import OutgoingHTTP

/// Tests requests over http to servers on this machine.
@Suite(.timeLimit(.minutes(1)))
struct LoopbackServersTests {
    /// A client, or the clients of a route, through which a test sends requests.
    private struct Sender: Sendable {
        let execute: @Sendable (String) async throws -> UInt
        let shutdown: @Sendable () async throws -> Void

        /// Returns a sender that has its own client.
        static func client(
            _ loopback: LoopbackServers,
            _ change: (inout HTTPClient.Configuration) -> Void = { _ in }
        ) -> Sender {
            let client = OutgoingHTTP.client(loopback: loopback, change)
            return Sender(
                execute: { try await client.execute(HTTPClientRequest(url: $0), timeout: .seconds(20)).status.code },
                shutdown: { try await client.shutdown() }
            )
        }

        /// Returns a sender that uses the clients of a route.
        static func route(_ proxy: OutgoingRoute.Proxy?, _ ports: Set<UInt16>) throws -> Sender {
            let route = try OutgoingRoute(proxy: proxy, authorityFile: nil, trustedLoopback: ports)
            let clients = OutgoingClients(connect: .seconds(20), route: route)
            return Sender(
                execute: { try await clients.execute(HTTPClientRequest(url: $0), timeout: .seconds(20)).status.code },
                shutdown: { try await clients.shutdown() }
            )
        }
    }

    private static func check(
        _ sender: Sender,
        refuses uid: UInt32,
        at port: UInt16,
        _ url: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let error = await #expect(throws: UntrustedServer.self, sourceLocation: sourceLocation) {
            _ = try await sender.execute(url)
        }
        #expect(error == UntrustedServer(port: port, uid: uid), sourceLocation: sourceLocation)
        try await sender.shutdown()
    }

    @Test(
        "a server of another user gets no request, unless its port is trusted explicitly",
        arguments: [
            ("127.0.0.1", "127.0.0.1"), ("::ffff:127.0.0.1", "127.0.0.1"), ("127.0.0.1", "[::ffff:127.0.0.1]"),
            ("127.0.0.2", "127.0.0.2"), ("::", "[::1]"), ("0.0.0.0", "0.0.0.0"), ("127.0.0.1", "localhost"),
        ] as [(String, String)]
    )
    func stranger(_ listener: String, _ host: String) async throws {
        let other = try OtherUserProcess()
        let port = try other.listen(at: listener)
        let url = "http://\(host):\(port)/"
        try await Self.check(.client(.known()), refuses: OtherUserProcess.uid, at: port, url)
        // A list of trusted ports that lacks this port changes nothing.
        try await Self.check(.client(.known(orAtPorts: [1])), refuses: OtherUserProcess.uid, at: port, url)
        try await Self.check(.route(nil, []), refuses: OtherUserProcess.uid, at: port, url)
        for _ in 0..<3 {
            #expect(try other.run("caller = listener.accept()[0]; answer = caller.recv(100)") == "b''")
        }
        for sender in [Sender.client(.known(orAtPorts: [port])), .client(.any), try .route(nil, [port])] {
            async let status = sender.execute(url)
            try other.run("caller = listener.accept()[0]; caller.recv(10000)")
            try other.run("caller.sendall(b'HTTP/1.1 204 No Content\\r\\n\\r\\n')")
            #expect(try await status == 204)
            try await sender.shutdown()
        }
    }

    @Test("a proxy of another user gets no http request through its tunnel") func proxy() async throws {
        let other = try OtherUserProcess()
        let port = try other.listen(at: "127.0.0.1")
        let sender = Sender.client(.known()) { $0.proxy = .server(host: "127.0.0.1", port: Int(port)) }
        async let checked: Void = Self.check(sender, refuses: OtherUserProcess.uid, at: port, "http://192.0.2.1/")
        #expect(try other.run("caller = listener.accept()[0]; answer = caller.recv(10000)[:8]") == "b'CONNECT '")
        try other.run("caller.sendall(b'HTTP/1.1 200 OK\\r\\n\\r\\n')")
        #expect(try other.run("answer = caller.recv(100)") == "b''")
        try await checked
    }

    @Test(
        "a local proxy of another user gets no connection and no credentials, unless its port is trusted explicitly",
        arguments: [("127.0.0.1", "127.0.0.1"), ("127.0.0.1", "localhost"), ("127.0.0.1", "127.1"), ("::1", "::1")]
    )
    func credentials(_ listener: String, _ host: String) async throws {
        let other = try OtherUserProcess()
        let port = try other.listen(at: listener)
        let password = Secret("Planted-pass")
        let proxy = OutgoingRoute.Proxy(host: host, port: Int(port), username: "user", password: password)
        for url in ["https://192.0.2.1/", "http://192.0.2.1/"] {
            try await Self.check(.route(proxy, []), refuses: OtherUserProcess.uid, at: port, url)
        }
        let probe = CertificateProbe(loopback: .known(), proxy: proxy) { $0.proxy = proxy.configuration }
        let cause = await probe.failure(at: "https://192.0.2.1/", host: "192.0.2.1").cause
        #expect(cause == .untrustedIssuer(nil))
        #expect(try other.run("import select; answer = select.select([listener], [], [], 0)[0]") == "[]")

        let trusting = try Sender.route(proxy, [port])
        async let failure = Self.failure(of: trusting, at: "https://192.0.2.1/")
        let pair = Data("user:Planted-pass".utf8).base64EncodedString()
        try other.run("caller = listener.accept()[0]")
        #expect(try other.run("answer = b'\(pair)' in caller.recv(10000)") == "True")
        try other.run("caller.sendall(b'HTTP/1.1 403 No\\r\\nContent-Length: 0\\r\\n\\r\\n')")
        #expect(await failure?.cause == .proxyRefusal)
        try await trusting.shutdown()
    }

    private static func failure(of sender: Sender, at url: String) async -> OutgoingFailure? {
        await #expect(throws: OutgoingFailure.self) { _ = try await sender.execute(url) }
    }

    @Test("a connection with unknown endpoints gets no request, and a Unix socket is not looked up")
    func ends() throws {
        let channel = EmbeddedChannel()
        func refusal(_ client: SocketAddress?, _ server: SocketAddress?) -> (any Error)? {
            (channel.localAddress, channel.remoteAddress) = (client, server)
            return HTTPClient.Configuration.refusal(of: channel, trusted: [1])
        }
        let far = try SocketAddress(ipAddress: "192.0.2.1", port: 80)
        let own = try SocketAddress(ipAddress: "192.0.2.2", port: 80)
        let file = try SocketAddress(unixDomainSocketPath: "/run/x")
        #expect(refusal(own, far) == nil)
        for (client, server) in [(nil, nil), (own, nil), (nil, far), (file, far)] as [(SocketAddress?, SocketAddress?)]
        {
            #expect(
                refusal(client, server) is ChannelError,
                "\(String(describing: client)) \(String(describing: server))"
            )
        }
        #expect(refusal(nil, file) == nil)
        let port = try SocketAddress(ipAddress: "127.0.0.1", port: 1)
        #expect(refusal(port, port) == nil)
        let free = try SocketAddress(ipAddress: "127.0.0.1", port: 2)
        #expect(refusal(free, free) as? UntrustedServer == UntrustedServer(port: 2, uid: nil))
    }

    @Test("a refusal says which user serves the port, and what to do") func words() {
        #expect(
            "\(UntrustedServer(port: 3000, uid: nil))"
                == "An unknown process is listening on http://localhost:3000, possibly in a container. "
                + "Use https, or allow this port with outgoing.trustedLoopback: [3000]."
        )
        let known = "\(UntrustedServer(port: 80, uid: 1001))"
        #expect(known.contains("A process owned by user 1001 is listening on http://localhost:80. Use https"))
    }

    @Test("no other code creates HTTP clients, and none trusts an unchecked listener") func places() throws {
        let scan = try SourceScan()
        #expect(scan.paths(with: " HTTPClient(") == ["OutgoingHTTP/OutgoingHTTP.swift"])
        #expect(scan.paths(with: "loopback: .any").isEmpty)
    }
}
