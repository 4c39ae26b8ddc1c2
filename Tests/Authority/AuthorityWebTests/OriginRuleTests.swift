import FlowModel
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Origins
import Systemd
import TestSupport
import Testing

@testable import AuthorityWeb

/// The origin whose limits apply to a request.
@Suite(.timeLimit(.minutes(1)))
struct OriginRuleTests {
    private func origin(
        from client: [UInt8],
        forwarded: [String] = [],
        others: [String] = [],
        isBehindProxy: Bool = true,
        header: ForwardedHeader? = .forwarded,
        proxies: [String] = ["10.0.0.0/8", "fd00::/8"]
    ) -> Origin {
        var head = HTTPRequest(method: .get, scheme: "http", authority: "login.example", path: "/")
        for (header, values) in [(ForwardedHeader.forwarded, forwarded), (.xForwardedFor, others)] {
            guard let name = header.name else { continue }
            for value in values { head.headerFields.append(HTTPField(name: name, value: value)) }
        }
        let server = TCPOwner.End(bytes: [10, 0, 0, 9], port: 443)
        let ends = ConnectionEnds(client: TCPOwner.End(bytes: client, port: 40_000), server: server)
        let rule = OriginRule(
            machine: "m",
            isBehindProxy: isBehindProxy,
            header: header,
            proxies: proxies.compactMap(NetworkRange.init)
        )
        return rule.origin(Request(head: head, body: RequestBody(buffer: ByteBuffer())), context(ends: ends))
    }

    private func context(ends: ConnectionEnds? = nil, peer: UInt32? = nil) -> HTTPContext {
        HTTPContext(
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            correlationID: "c",
            isLocal: false,
            isOnUnixSocket: ends == nil,
            ends: ends,
            peer: peer
        )
    }

    @Test(
        "RFC 7239 §8.1: behind a proxy the last hop that is not a trusted proxy counts, and its own claims do not",
        arguments: [
            (["for=198.51.100.7"], "198.51.100.7"), (["for=203.0.113.1, for=198.51.100.7"], "198.51.100.7"),
            (["for=203.0.113.1", "for=198.51.100.7"], "198.51.100.7"),
            (["for=198.51.100.7, for=10.1.2.3"], "198.51.100.7"),
            (["for=203.0.113.1, for=unknown, for=10.1.2.3"], "10.0.0.1"), (["for=_hidden"], "10.0.0.1"),
            (["for=10.1.2.3"], "10.0.0.1"), ([], "10.0.0.1"), (["proto=https"], "10.0.0.1"),
            (["for=\"[2001:db8:1:2:3::4]:4711\""], "32.1.13.184.0.1.0.2/64"),
            (["for=198.51.100.7 ; proto=https"], "198.51.100.7"),
            (["for=198.51.100.7;host=\"x,for=6.6.6.6\""], "198.51.100.7"),
            (["host=\";for=6.6.6.6;\";for=198.51.100.7"], "198.51.100.7"),
            (["host=\"x\\\",for=6.6.6.6\";for=198.51.100.7"], "198.51.100.7"),
            (["for=203.0.113.1;host=\"x, for=198.51.100.7"], "198.51.100.7"),
            (["\", for=198.51.100.7"], "198.51.100.7"),
            (["for=6.6.6.6;for=198.51.100.7"], "10.0.0.1"), (["for=198.51.100.7;For=6.6.6.6"], "10.0.0.1"),
            (["f o r=6.6.6.6"], "10.0.0.1"), (["for =6.6.6.6"], "10.0.0.1"), (["for=1 9 8.51.100.7"], "10.0.0.1"),
            (["for=\"198.51.100.7"], "10.0.0.1"), (["for=198.51.\"100.7\""], "10.0.0.1"),
        ] as [([String], String)]
    )
    func proxied(_ fields: [String], _ place: String) {
        #expect(origin(from: [10, 0, 0, 1], forwarded: fields) == .address(place))
    }

    @Test(
        "behind a proxy that sets X-Forwarded-For the last address that is not a trusted proxy counts",
        arguments: [
            (["198.51.100.7"], "198.51.100.7"), (["203.0.113.1, 198.51.100.7"], "198.51.100.7"),
            (["203.0.113.1", "198.51.100.7"], "198.51.100.7"), (["198.51.100.7,10.1.2.3"], "198.51.100.7"),
            (["203.0.113.1, unknown, 10.1.2.3"], "10.0.0.1"), (["10.1.2.3"], "10.0.0.1"), ([], "10.0.0.1"),
            (["198.51.100.7:4711"], "198.51.100.7"), (["2001:db8:1:2:3::4"], "32.1.13.184.0.1.0.2/64"),
            (["[2001:db8:1:2:3::4]:4711"], "32.1.13.184.0.1.0.2/64"), (["1 9 8.51.100.7"], "10.0.0.1"),
        ] as [([String], String)]
    )
    func older(_ fields: [String], _ place: String) {
        #expect(origin(from: [10, 0, 0, 1], others: fields, header: .xForwardedFor) == .address(place))
    }

    @Test("a header that the configuration does not name is ignored, also from a trusted proxy")
    func otherHeader() {
        let (forged, address) = (["for=203.0.113.1"], ["203.0.113.1"])
        #expect(origin(from: [10, 0, 0, 1], others: address) == .address("10.0.0.1"))
        #expect(origin(from: [10, 0, 0, 1], forwarded: forged, header: .xForwardedFor) == .address("10.0.0.1"))
        #expect(origin(from: [10, 0, 0, 1], forwarded: forged, others: address, header: nil) == .address("10.0.0.1"))
        let own = ["198.51.100.7"]
        #expect(
            origin(from: [10, 0, 0, 1], forwarded: forged, others: own, header: .xForwardedFor)
                == .address("198.51.100.7")
        )
        #expect(
            origin(from: [10, 0, 0, 1], forwarded: ["for=198.51.100.7"], others: address) == .address("198.51.100.7")
        )
    }

    @Test("a peer that is not a trusted proxy counts as itself, whatever it forwards") func untrusted() {
        let said = ["for=203.0.113.1"]
        #expect(origin(from: [192, 0, 2, 7], forwarded: said) == .address("192.0.2.7"))
        #expect(origin(from: [10, 0, 0, 1], forwarded: said, proxies: []) == .address("10.0.0.1"))
        #expect(origin(from: [10, 0, 0, 1], forwarded: said, isBehindProxy: false) == .address("10.0.0.1"))
    }

    @Test("at the Unix socket each uid is an origin") func unixSocket() {
        let rule = OriginRule(machine: "m", isBehindProxy: false, proxies: [])
        let head = HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: "/")
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
        #expect(rule.origin(request, context(peer: 1000)) == .local(machine: "m", uid: 1000))
        #expect(rule.origin(request, context(peer: 1001)) == .local(machine: "m", uid: 1001))
        #expect(rule.origin(request, context(peer: nil)) == .unknownLocal(machine: "m"))
        let proxied = OriginRule(
            machine: "m",
            isBehindProxy: true,
            header: .forwarded,
            proxies: ["0.0.0.0/0"].compactMap(NetworkRange.init)
        )
        #expect(proxied.origin(request, context(peer: 1000)) == .local(machine: "m", uid: 1000))
    }

    @Test(
        "at loopback the kernel names the uid for any spelling of the address; behind a proxy it is not consulted",
        arguments: [LoopbackConnection.Family.ipv4, .mapped]
    )
    func loopback(_ family: LoopbackConnection.Family) throws {
        let connection = try LoopbackConnection(family)
        defer { withExtendedLifetime(connection) {} }
        let ends = ConnectionEnds(
            client: try #require(TCPOwner.End(connection.client)),
            server: try #require(TCPOwner.End(connection.server))
        )
        let head = HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: "/")
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
        let open = OriginRule(machine: "m", isBehindProxy: false, proxies: [])
        #expect(open.origin(request, context(ends: ends)) == .local(machine: "m", uid: getuid()))
        let proxied = OriginRule(machine: "m", isBehindProxy: true, proxies: [])
        #expect(proxied.origin(request, context(ends: ends)) == .address("127.0.0.1"))
    }

    @Test(
        "loopback peers with unknown uids share one origin, never that of the address",
        arguments: [
            [127, 0, 0, 1], [127, 0, 0, 2], [UInt8](repeating: 0, count: 15) + [1],
            [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 127, 0, 0, 1],
        ] as [[UInt8]]
    )
    func unknown(_ address: [UInt8]) {
        // No socket has this pair of addresses, so the kernel reports no uid.
        let ends = ConnectionEnds(
            client: TCPOwner.End(bytes: address, port: 1),
            server: TCPOwner.End(bytes: address, port: 2)
        )
        let head = HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: "/")
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
        let rule = OriginRule(machine: "m", isBehindProxy: false, proxies: [])
        let origin = rule.origin(request, context(ends: ends))
        #expect(origin == .unknownLocal(machine: "m"))
        #expect(origin.key == "local:m:4294967295")
        // A local peer without a known uid is not trusted as a proxy, even if its address is listed as a proxy.
        // Otherwise, any local user could claim another address.
        let proxied = OriginRule(
            machine: "m",
            isBehindProxy: true,
            header: .forwarded,
            proxies: ["127.0.0.0/8", "::1"].compactMap(NetworkRange.init)
        )
        #expect(proxied.origin(request, context(ends: ends)) == .unknownLocal(machine: "m"))
    }
}
