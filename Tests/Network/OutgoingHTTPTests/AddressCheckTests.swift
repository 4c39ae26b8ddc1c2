import AsyncHTTPClient
import Glibc
import NIOCore
import TestSupport
import Testing

@testable import OutgoingHTTP

/// Tests that no request reaches a server with a link-local address, such as the metadata service of a cloud.
@Suite(.timeLimit(.minutes(1)))
struct AddressCheckTests {
    @Test(
        "a server name that resolves to a link-local address is refused before a connection, in every notation",
        arguments: [
            "169.254.169.254", "2852039166", "0xa9fea9fe", "169.254.43518", "0251.0376.0251.0376",
            "[::ffff:a9fe:a9fe]", "[::ffff:169.254.169.254]", "[fe80::1]", "[febf::1]", "[64:ff9b::a9fe:a9fe]",
            "[64:ff9b::169.254.1.1]", "[2002:a9fe:a9fe::1]", "[::a9fe:a9fe]",
        ],
        [true, false]
    )
    func refused(_ host: String, byProxy: Bool) async throws {
        let proxy: OutgoingRoute.Proxy? = byProxy ? .init(host: "127.0.0.1", port: 1) : nil
        let clients = OutgoingClients(connect: .seconds(20), route: try OutgoingRoute(proxy: proxy, authorityFile: nil))
        await #expect(throws: LinkLocalServer.self) {
            try await clients.execute(HTTPClientRequest(url: "https://\(host)/"), timeout: .seconds(20))
        }
        try await clients.shutdown()
    }

    @Test(
        "addresses of private networks and of this machine are called",
        arguments: [
            "10.0.0.1", "192.168.1.1", "169.253.0.1", "fd00:ec2::1", "::1", "127.0.0.1", "fec0::1",
            "64:ff9b::a00:1", "2002:a00:1::a9fe:a9fe", "2001:db8::a9fe:a9fe", "::a00:1",
        ]
    )
    func called(_ host: String) throws {
        try AddressCheck.checkSpelling(host)
    }

    @Test("a name that is not a notation of an address is looked up") func names() async throws {
        try AddressCheck.checkSpelling("localhost")
        try await AddressCheck(isRefused: OutgoingRoute.direct.refusesName).check("localhost")
    }

    @Test("a connection to a refused address carries no data") func connected() async throws {
        let server = try SilentServer()
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.refuseServers { _ in true }
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        await #expect(throws: LinkLocalServer.self) {
            try await client.execute(HTTPClientRequest(url: "http://127.0.0.1:\(server.port)/"), timeout: .seconds(20))
        }
        try await client.shutdown()
        #expect(try server.received() == 0)
    }

    @Test("the address of a server is checked again when the connection is established") func rebound()
        async throws
    {
        let server = try SilentServer()
        let route = try OutgoingRoute(proxy: nil, authorityFile: nil)
        let clients = OutgoingClients(connect: .seconds(20), route: route, refusing: { _ in true })
        // The URL names this machine in a notation that looks like a remote server, and the first check accepts the
        // URL.
        let request = HTTPClientRequest(url: "http://2130706433:\(server.port)/")
        await #expect(throws: LinkLocalServer.self) { try await clients.execute(request, timeout: .seconds(20)) }
        try await clients.shutdown()
        #expect(try server.received() == 0)
    }
}

/// A socket that accepts one connection and reads its data.
private struct SilentServer {
    let port: UInt16
    private let listener: Int32

    init() throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var time = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        port = UInt16(freePort())
        let isListening = try SocketAddress(ipAddress: "127.0.0.1", port: Int(port)).withSockAddr { address, size in
            bind(listener, address, socklen_t(size)) == 0 && listen(listener, 1) == 0
        }
        try #require(isListening)
    }

    /// Accepts a connection, and returns the number of bytes that arrive before the connection ends.
    func received() throws -> Int {
        let connection = accept(listener, nil, nil)
        try #require(connection >= 0)
        defer {
            close(connection)
            close(listener)
        }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        return recv(connection, &bytes, bytes.count, Int32(MSG_WAITALL))
    }
}
