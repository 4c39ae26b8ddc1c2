import Glibc
import Moments
import Systemd

/// A connection to a port of ours, until its head is there.
struct LoopbackConnection {
    /// The time that a head may take.
    static let patience: Duration = .seconds(5)

    let descriptor: Int32
    /// The end of the time for its head.
    let ends: Deadline
    private var bytes: [UInt8] = []

    /// Takes a connection that waits; nil if there is none, or if it is another user's of this machine, as far as that can
    /// be seen: that one is answered 403 and closed at once, so it takes no place.
    ///
    /// - Parameters:
    ///   - listener: The socket that listens.
    ///   - now: The time from which its head has to come.
    ///   - user: The user whose connections are taken.
    init?(at listener: Int32, now: Moment, user: uid_t = getuid()) {
        var peer = sockaddr_storage()
        let size = MemoryLayout<sockaddr_storage>.size
        let accepted = LoopbackSocket.withAddress(&peer, size) { accept(listener, $0, $1) }
        guard accepted >= 0 else { return nil }
        _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
        _ = fcntl(accepted, F_SETFL, O_NONBLOCK)
        var own = sockaddr_storage()
        _ = LoopbackSocket.withAddress(&own, size) { getsockname(accepted, $0, $1) }
        descriptor = accepted
        ends = Deadline(Self.patience, after: now)
        let (client, server) = (LoopbackSocket.end(&peer), LoopbackSocket.end(&own))
        let uid = client.flatMap { client in server.flatMap { TCPOwner.uid(client: client, server: $0) } }
        guard uid.map({ $0 == user }) ?? true else {
            answer(403)
            close(accepted)
            return nil
        }
    }

    /// The states of a head.
    enum Head {
        /// It is not whole yet.
        case partial
        /// It is whole.
        case whole([UInt8])
        /// It is too long.
        case tooLong
        /// The other end has gone.
        case gone
    }

    /// Reads what has come.
    mutating func read() -> Head {
        var part = [UInt8](repeating: 0, count: 4_096)
        let count = recv(descriptor, &part, part.count, 0)
        if count < 0, errno == EAGAIN || errno == EINTR { return .partial }
        guard count > 0 else { return .gone }
        bytes += part[..<count]
        if let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) { return .whole(Array(bytes[..<end.lowerBound])) }
        return bytes.count < LoopbackRequest.longestHead ? .partial : .tooLong
    }

    /// Answers, as far as the other end takes it at once.
    func answer(_ status: Int) {
        let reply = LoopbackReply.bytes(status)
        _ = send(descriptor, reply, reply.count, Int32(MSG_NOSIGNAL))
        shutdown(descriptor, Int32(SHUT_WR))
    }
}

/// Sockets that listen on loopback.
enum LoopbackSocket {
    /// Listens at a port.
    ///
    /// - Parameters:
    ///   - host: `127.0.0.1` or `::1`.
    ///   - port: The port; 0 for any that is free.
    /// - Returns: The descriptor; nil with the error number if that cannot be.
    static func listen(_ host: String, _ port: UInt16) -> (descriptor: Int32?, error: Int32) {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, "\(port)", &hints, &list) == 0, let address = list else { return (nil, EADDRNOTAVAIL) }
        defer { freeaddrinfo(list) }
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(address.pointee.ai_family, kind, 0)
        guard descriptor >= 0 else { return (nil, errno) }
        var on: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, size)
        if address.pointee.ai_family == AF_INET6 { setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &on, size) }
        guard bind(descriptor, address.pointee.ai_addr, address.pointee.ai_addrlen) == 0,
            Glibc.listen(descriptor, 16) == 0
        else {
            let error = errno
            close(descriptor)
            return (nil, error)
        }
        return (descriptor, 0)
    }

    /// The port of a socket that listens.
    static func port(of descriptor: Int32) -> UInt16 {
        var own = sockaddr_storage()
        let result = withAddress(&own, MemoryLayout<sockaddr_storage>.size) { getsockname(descriptor, $0, $1) }
        guard result == 0 else { return 0 }
        return withUnsafeBytes(of: &own) { UInt16(bigEndian: $0.load(fromByteOffset: 2, as: UInt16.self)) }
    }

    /// The end of a connection that an address names.
    static func end(_ address: inout sockaddr_storage) -> TCPOwner.End? {
        withUnsafeBytes(of: &address) { $0.baseAddress.flatMap { TCPOwner.End($0) } }
    }

    /// Calls what fills in an address.
    static func withAddress(
        _ storage: inout sockaddr_storage,
        _ size: Int,
        _ call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> Int32 {
        var length = socklen_t(size)
        return withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, &length) }
        }
    }
}
