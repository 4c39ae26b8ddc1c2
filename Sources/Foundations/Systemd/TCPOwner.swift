import Glibc

/// Finds the user whose process is at one end of a local TCP connection, using the kernel's socket tables.
public enum TCPOwner {
    /// One end of a connection.
    public struct End: Hashable, Sendable {
        /// The address in network byte order, with 4 bytes for IPv4 and IPv4-mapped addresses, and otherwise 16 bytes.
        public let bytes: [UInt8]
        /// The port, in host byte order.
        public let port: UInt16

        private static let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

        /// Creates an endpoint.
        public init(bytes: [UInt8], port: UInt16) {
            self.bytes = bytes.count == 16 && bytes.starts(with: Self.mapped) ? Array(bytes.suffix(4)) : bytes
            self.port = port
        }

        /// Creates an endpoint from a socket address (ip(7), ipv6(7)), or returns `nil` for any other address family.
        public init?(_ address: UnsafeRawPointer) {
            let bytes: Range<Int>
            switch Int32(address.load(as: sa_family_t.self)) {
            case AF_INET: bytes = 4..<8
            case AF_INET6: bytes = 8..<24
            default: return nil
            }
            self.init(
                bytes: bytes.map { address.load(fromByteOffset: $0, as: UInt8.self) },
                port: UInt16(bigEndian: address.load(fromByteOffset: 2, as: UInt16.self))
            )
        }

        /// Whether the address is in 127.0.0.0/8, is `::1` or is unspecified, and thus refers to the local machine.
        public var isLoopback: Bool {
            bytes.count == 4
                ? bytes[0] == 127 || bytes == [0, 0, 0, 0]
                : bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] <= 1
        }

        /// The whole IPv4 address, or the first 64 bits of an IPv6 address, in hexadecimal.
        public var network: String {
            bytes.prefix(bytes.count == 4 ? 4 : 8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
    }

    /// The result of looking up the user whose process is at the other end of a connection.
    public enum Peer: Hashable, Sendable {
        case uid(UInt32)
        /// A local process whose user the kernel does not report.
        case unknown
        case remote
    }

    /// Returns the user whose process is at the client's end of a connection to the local endpoint `server`.
    public static func peer(client: End, server: End) -> Peer {
        if let uid = uid(client: client, server: server) { return .uid(uid) }
        return areOfOneMachine(client, server) ? .unknown : .remote
    }

    /// Returns the uid of the process at the client's end of a connection, or `nil` if the kernel does not report it.
    ///
    /// Connections that are closed or not yet accepted are ignored, because the kernel lists them with the uid 0.
    public static func uid(client: End, server: End) -> UInt32? { socket(client: client, server: server)?.owner }

    /// Returns the socket at the client's end of a connection, which may still be waiting to be accepted.
    static func socket(client: End, server: End) -> TCPSocket? {
        guard client.bytes.count == server.bytes.count else { return nil }
        for table in SocketTable.inUse {
            // Do not scan the files for a remote connection, because this would be expensive and find nothing.
            if table == .files, !areOfOneMachine(client, server) { return nil }
            do throws(SystemError) {
                return try table.connection(from: client, to: server)
            } catch {
                continue
            }
        }
        return nil
    }

    /// Returns whether the kernel lists the given listening socket and its connections, or `true` if it is not TCP.
    ///
    /// A socket is not listed if it belongs to another network namespace or if the socket tables are hidden.
    public static func isVisible(listener descriptor: Int32) -> Bool {
        var address = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let end = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { start in
                getsockname(descriptor, start, &size) == 0 ? End(UnsafeRawPointer(start)) : nil
            }
        }
        guard let end else { return true }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return false }
        return listeners(port: end.port)?.contains { UInt($0.inode) == status.st_ino } ?? false
    }

    /// Returns the sockets that listen on a port of any local address, or `nil` if the kernel does not report them.
    static func listeners(port: UInt16) -> [TCPSocket]? {
        SocketTable.inUse.lazy.compactMap { try? $0.listeners(port: port) }.first
    }

    private static func areOfOneMachine(_ client: End, _ server: End) -> Bool {
        client.isLoopback || server.isLoopback || client.bytes == server.bytes || OwnAddresses.contains(client.bytes)
    }
}

/// Detects local users who listen on the port of a stopped service to collect tokens.
extension TCPOwner {
    /// An untrusted local server.
    public enum Stranger: Hashable, Sendable {
        /// A server that runs as another user, but not as root or as a service user.
        case uid(UInt32)
        /// A server whose user the kernel does not report, such as a server in a container.
        case unknown
        /// Nothing is listening on the port, so any local user can claim it.
        case noListener
    }

    /// Returns the server at the other end of a local connection, or `nil` if the server is trusted or remote.
    ///
    /// If the connection is not accepted yet, all listeners on the server's port must be trusted.
    public static func stranger(client: End, server: End) -> Stranger? {
        switch peer(client: server, server: client) {
        case .remote: return nil
        case .uid(let owner): return stranger(owner)
        case .unknown:
            switch stranger(listeningAt: server.port) {
            case nil: break
            // The server's process has stopped listening, or it never listened on this machine.
            case .noListener: return .unknown
            case let listener: return listener
            }
            // All listeners are trusted, so a connection that is not accepted yet (inode 0) belongs to a trusted
            // process. If the kernel does not list the connection, an untrusted process may have hidden it.
            guard let socket = socket(client: server, server: client) else { return .unknown }
            return socket.inode == 0 ? nil : socket.owner.map(stranger) ?? .unknown
        }
    }

    /// Returns an untrusted server that listens on a local port, or `nil` if all listeners are trusted.
    public static func stranger(listeningAt port: UInt16) -> Stranger? {
        guard let listeners = listeners(port: port) else { return .unknown }
        guard !listeners.isEmpty else { return .noListener }
        return listeners.lazy.compactMap { listener in
            listener.owner.map(stranger) ?? .unknown
        }.first
    }

    /// Returns `uid` as an untrusted server, or `nil` for root, service users and the user of this process.
    public static func stranger(_ uid: UInt32) -> Stranger? {
        uid == geteuid() || uid < 1000 || (61_184...65_519).contains(uid) ? nil : .uid(uid)
    }
}
