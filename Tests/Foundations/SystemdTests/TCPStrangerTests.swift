import Glibc
import TestSupport
import Testing

@testable import Systemd

/// Tests the detection of other local users at the server's end of a connection, with both kernel interfaces.
@Suite(.timeLimit(.minutes(2)))
struct TCPStrangerTests {
    private static let other = OtherUserProcess.uid

    /// The address on which another user listens, and the address to which the client connects.
    struct Place: Sendable, CustomTestStringConvertible {
        let listener: String
        let called: String

        var testDescription: String { "\(listener) called as \(called)" }
    }

    private static let places = [
        Place(listener: "127.0.0.1", called: "127.0.0.1"), Place(listener: "::ffff:127.0.0.1", called: "127.0.0.1"),
        Place(listener: "127.0.0.1", called: "::ffff:127.0.0.1"),
        Place(listener: "::ffff:127.0.0.1", called: "::ffff:127.0.0.1"), Place(listener: "::", called: "127.0.0.1"),
        Place(listener: "::", called: "::1"), Place(listener: "::1", called: "::1"),
        Place(listener: "0.0.0.0", called: "127.0.0.1"), Place(listener: "127.0.0.2", called: "127.0.0.2"),
        Place(listener: "0.0.0.0", called: "0.0.0.0"), Place(listener: "::", called: "::"),
    ]

    @Test(
        "a server of another user is untrusted, accepting or not, in every notation of the address",
        arguments: places,
        SocketTable.allCases
    )
    func server(_ place: Place, _ table: SocketTable) throws {
        let other = try OtherUserProcess()
        let port = try other.listen(at: place.listener)
        let call = try Call(to: place.called, port: port)
        try SocketTable.$inUse.withValue([table]) {
            #expect(TCPOwner.uid(client: call.server, server: call.client) == nil)
            #expect(call.stranger == .uid(Self.other))
            try other.run("accepted = listener.accept()")
            #expect(TCPOwner.uid(client: call.server, server: call.client) == Self.other)
            #expect(call.stranger == .uid(Self.other))
            // The connection still belongs to the other user after the listener has closed.
            try other.run("listener.close()")
            #expect(call.stranger == .uid(Self.other))
            // The kernel reports uid 0 for a closed socket, which does not belong to root.
            try other.run("accepted[0].close()")
            #expect(call.stranger == .unknown)
        }
    }

    @Test("a server of this user is trusted, accepting or not", arguments: SocketTable.allCases)
    func own(_ table: SocketTable) throws {
        let listener = try Listener(at: "127.0.0.1")
        let call = try Call(to: "127.0.0.1", port: listener.port)
        try SocketTable.$inUse.withValue([table]) {
            #expect(TCPOwner.uid(client: call.server, server: call.client) == nil)
            #expect(call.stranger == nil)
            try listener.accept()
            #expect(TCPOwner.uid(client: call.server, server: call.client) == geteuid())
            #expect(call.stranger == nil)
        }
    }

    @Test(
        "a connection that is not yet accepted is trusted only if all listeners on its port are",
        arguments: ["127.0.0.2", "::ffff:127.0.0.2", "::1"],
        SocketTable.allCases
    )
    func beside(_ place: String, _ table: SocketTable) throws {
        let listener = try Listener(at: "127.0.0.1")
        let other = try OtherUserProcess()
        _ = try other.listen(at: place, port: listener.port)
        let call = try Call(to: "127.0.0.1", port: listener.port)
        try SocketTable.$inUse.withValue([table]) {
            #expect(TCPOwner.stranger(listeningAt: listener.port) == .uid(Self.other))
            #expect(call.stranger == .uid(Self.other))
            try listener.accept()
            #expect(call.stranger == nil)
        }
    }

    @Test(
        "a connection hidden by another user is not attributed to the trusted service at the other address",
        arguments: ["shutdown(socket.SHUT_WR)", "setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b'lo')"],
        SocketTable.allCases
    )
    func hidden(_ trick: String, _ table: SocketTable) throws {
        let listener = try Listener(at: "127.0.0.1")
        let other = try OtherUserProcess()
        _ = try other.listen(at: "::1", port: listener.port)
        let call = try Call(to: "::1", port: listener.port)
        try other.run("accepted = listener.accept(); accepted[0].\(trick); listener.close()")
        SocketTable.$inUse.withValue([table]) {
            #expect(TCPOwner.stranger(listeningAt: listener.port) == nil)
            #expect(call.stranger != nil)
        }
    }

    @Test("a service of this user that waits for the first bytes is trusted", arguments: SocketTable.allCases)
    func deferred(_ table: SocketTable) throws {
        let listener = try Listener(at: "127.0.0.1")
        var seconds: Int32 = 5
        let size = socklen_t(MemoryLayout<Int32>.size)
        #expect(setsockopt(listener.socket, Int32(IPPROTO_TCP), TCP_DEFER_ACCEPT, &seconds, size) == 0)
        let call = try Call(to: "127.0.0.1", port: listener.port)
        SocketTable.$inUse.withValue([table]) { #expect(call.stranger == nil) }
    }

    @Test("a port without a listening process is not trusted", arguments: SocketTable.allCases)
    func none(_ table: SocketTable) throws {
        let port = try Listener(at: "127.0.0.1").port
        SocketTable.$inUse.withValue([table]) { #expect(TCPOwner.stranger(listeningAt: port) == .noListener) }
    }

    @Test("if the kernel reports nothing, no local server is trusted") func blind() throws {
        let listener = try Listener(at: "127.0.0.1")
        let call = try Call(to: "127.0.0.1", port: listener.port)
        try listener.accept()
        SocketTable.$inUse.withValue([]) {
            #expect(call.stranger == .unknown)
            #expect(TCPOwner.stranger(listeningAt: listener.port) == .unknown)
            #expect(TCPOwner.peer(client: call.client, server: call.server) == .unknown)
            #expect(!TCPOwner.isVisible(listener: listener.socket))
        }
        #expect(TCPOwner.isVisible(listener: listener.socket))
    }

    @Test(
        "a client of another user is found by its uid in every notation of the address, and is unknown once it has closed",
        arguments: ["127.0.0.1", "::ffff:127.0.0.1", "127.0.0.2"],
        SocketTable.allCases
    )
    func client(_ address: String, _ table: SocketTable) throws {
        let listener = try Listener(at: "0.0.0.0")
        let other = try OtherUserProcess()
        let family = address.contains(":") ? "AF_INET6" : "AF_INET"
        try other.run(
            "caller = socket.socket(socket.\(family)); caller.connect(('\(address)', \(listener.port))); caller.send(b'x')"
        )
        let ends = try listener.accept()
        try SocketTable.$inUse.withValue([table]) {
            #expect(TCPOwner.peer(client: ends.client, server: ends.server) == .uid(Self.other))
            try other.run("caller.close()")
            #expect(TCPOwner.peer(client: ends.client, server: ends.server) == .unknown)
        }
    }

    @Test("sockets that are bound to a device are found like others", arguments: SocketTable.allCases)
    func device(_ table: SocketTable) throws {
        let listener = try Listener(at: "127.0.0.1")
        let other = try OtherUserProcess()
        let bind = "setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b'lo')"
        try other.run("caller = socket.socket(); caller.\(bind); caller.connect(('127.0.0.1', \(listener.port)))")
        let ends = try listener.accept()
        let port = try other.listen(at: "127.0.0.1")
        try other.run("listener.\(bind)")
        let call = try Call(to: "127.0.0.1", port: port)
        try SocketTable.$inUse.withValue([table]) {
            #expect(TCPOwner.peer(client: ends.client, server: ends.server) == .uid(Self.other))
            #expect(call.stranger == .uid(Self.other))
            try other.run("accepted = listener.accept(); listener.close()")
            #expect(call.stranger == .uid(Self.other))
        }
    }

    @Test("with 10,000 sockets the lookup is one query, not a scan") func many() throws {
        let other = try OtherUserProcess()
        try other.run("import resource; most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]")
        try other.run("resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))")
        let port = try other.listen(at: "127.0.0.1")
        try other.run(
            "pairs = [(socket.create_connection(('127.0.0.1', \(port))), listener.accept()) for _ in range(5000)]"
        )
        let call = try Call(to: "127.0.0.1", port: port)
        try other.run("accepted = listener.accept()")
        func time(_ table: SocketTable) -> Duration {
            SocketTable.$inUse.withValue([table]) {
                ContinuousClock().measure { #expect(call.stranger == .uid(Self.other)) }
            }
        }
        _ = time(.netlink)
        let query = (1...5).map { _ in time(.netlink) }.min() ?? .zero
        let scan = (1...5).map { _ in time(.files) }.min() ?? .zero
        #expect(query * 10 < scan, "\(query) of \(scan)")
    }
}

/// A failed system call.
private struct Failed: Error {
    let call: String
    let code: Int32
}

/// A socket of this process that is closed when this object is deallocated.
private class OwnSocket {
    let socket: Int32

    init(_ socket: Int32) { self.socket = socket }

    deinit { close(socket) }

    /// Returns the endpoint that `getsockname` or `getpeername` reports.
    static func end(
        _ socket: Int32,
        _ name: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) throws -> TCPOwner.End {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return try withUnsafeMutablePointer(to: &storage) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard name(socket, address, &size) == 0, let end = TCPOwner.End(UnsafeRawPointer(address)) else {
                    throw Failed(call: "the name of a socket", code: errno)
                }
                return end
            }
        }
    }

    /// Creates a socket, and binds or connects it.
    static func make(
        _ address: String,
        _ port: UInt16,
        _ use: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws -> Int32 {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(address, "\(port)", &hints, &list)
        guard code == 0, let found = list?.pointee, let name = found.ai_addr else {
            throw Failed(call: "getaddrinfo", code: code)
        }
        defer { freeaddrinfo(list) }
        let made = Glibc.socket(found.ai_family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var on: Int32 = 1
        setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        guard use(made, name, found.ai_addrlen) == 0 else {
            let code = errno
            close(made)
            throw Failed(call: "bind or connect", code: code)
        }
        return made
    }
}

/// A connection that this process opened.
private final class Call: OwnSocket {
    let client: TCPOwner.End
    let server: TCPOwner.End

    var stranger: TCPOwner.Stranger? { TCPOwner.stranger(client: client, server: server) }

    init(to address: String, port: UInt16) throws {
        let made = try OwnSocket.make(address, port, connect)
        client = try OwnSocket.end(made) { getsockname($0, $1, $2) }
        server = try OwnSocket.end(made) { getpeername($0, $1, $2) }
        super.init(made)
    }
}

private final class Listener: OwnSocket {
    let port: UInt16
    private var accepted: [OwnSocket] = []

    init(at address: String) throws {
        let made = try OwnSocket.make(address, 0) { bind($0, $1, $2) }
        guard listen(made, 8) == 0 else { throw Failed(call: "listen", code: errno) }
        port = try OwnSocket.end(made) { getsockname($0, $1, $2) }.port
        super.init(made)
    }

    /// Accepts a connection and returns its endpoints.
    @discardableResult
    func accept() throws -> (client: TCPOwner.End, server: TCPOwner.End) {
        let taken = Glibc.accept(socket, nil, nil)
        guard taken >= 0 else { throw Failed(call: "accept", code: errno) }
        accepted.append(OwnSocket(taken))
        return (
            try OwnSocket.end(taken) { getpeername($0, $1, $2) }, try OwnSocket.end(taken) { getsockname($0, $1, $2) }
        )
    }
}
