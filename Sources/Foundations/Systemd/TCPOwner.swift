import Glibc

/// The user of a TCP connection within this machine, as the kernel's table of sockets tells.
public enum TCPOwner {
    /// One end of a connection: the address as 4 or 16 bytes in network order, and the port.
    public struct End: Hashable, Sendable {
        /// The address: 4 or 16 bytes in network order, an IPv4 address that IPv6 maps (`::ffff:192.0.2.1`) as 4.
        public let bytes: [UInt8]
        /// The port.
        public let port: UInt16

        private static let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

        /// An end of a connection.
        public init(bytes: [UInt8], port: UInt16) {
            self.bytes = bytes.count == 16 && bytes.starts(with: Self.mapped) ? Array(bytes.suffix(4)) : bytes
            self.port = port
        }

        /// The end that a socket's address names (ip(7), ipv6(7)); nil for one that is not of TCP.
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

        /// Whether only this machine can have the address: 127.0.0.0/8, `::1`, and those that stand for all of its own.
        public var isLoopback: Bool {
            bytes.count == 4
                ? bytes[0] == 127 || bytes == [0, 0, 0, 0]
                : bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] <= 1
        }

        /// The network that one peer may have whole: an IPv4 address, or the first 64 bits of an IPv6 address, in
        /// hexadecimal.
        public var network: String {
            bytes.prefix(bytes.count == 4 ? 4 : 8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
    }

    /// The program at the other end of a connection.
    public enum Peer: Hashable, Sendable {
        /// A program of this machine, and the user that it runs for.
        case uid(UInt32)
        /// A program of this machine whose user the kernel does not tell.
        case unknown
        /// A program of another machine.
        case remote
    }

    /// Returns the program at the client's end of a connection.
    ///
    /// - Parameters:
    ///   - client: The client's end.
    ///   - server: Our end.
    /// - Returns: The peer; every connection from an address of this machine is of this machine, found or not.
    public static func peer(client: End, server: End) -> Peer {
        if let uid = uid(client: client, server: server) { return .uid(uid) }
        return areOfOneMachine(client, server) ? .unknown : .remote
    }

    /// Returns the uid of the program at the client's end of a connection; nil if the kernel does not tell.
    ///
    /// Only an established connection with a socket counts: closed ones, and those that are not accepted yet, have no inode,
    /// and the uid 0.
    ///
    /// - Parameters:
    ///   - client: The client's end.
    ///   - server: Our end.
    /// - Returns: The uid.
    public static func uid(client: End, server: End) -> UInt32? { socket(client: client, server: server)?.owner }

    /// The socket at the client's end of a connection, accepted or not; nil if the kernel does not tell.
    static func socket(client: End, server: End) -> TCPSocket? {
        guard client.bytes.count == server.bytes.count else { return nil }
        for table in SocketTable.inUse {
            // A scan for each connection from elsewhere would be dear, and find nothing.
            if table == .files, !areOfOneMachine(client, server) { return nil }
            do throws(SystemError) {
                return try table.connection(from: client, to: server)
            } catch {
                continue
            }
        }
        return nil
    }

    /// Whether the kernel shows a listening socket of this process, and so the connections that reach it.
    ///
    /// It does not if the socket belongs to another network namespace, or tables of sockets are hidden from this process.
    ///
    /// - Parameter descriptor: The listening socket.
    /// - Returns: True too for a socket that is not of TCP.
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

    /// The sockets that listen at a port of this machine, at whatever address; nil if the kernel does not tell.
    static func listeners(port: UInt16) -> [TCPSocket]? {
        SocketTable.inUse.lazy.compactMap { try? $0.listeners(port: port) }.first
    }

    /// Whether the client's end is surely of this machine.
    private static func areOfOneMachine(_ client: End, _ server: End) -> Bool {
        client.isLoopback || server.isLoopback || client.bytes == server.bytes || OwnAddresses.contains(client.bytes)
    }
}

/// Other users of this machine, who may listen at a port and wait for tokens while the service that it is for is stopped.
extension TCPOwner {
    /// A server of this machine that is not trusted.
    public enum Stranger: Hashable, Sendable {
        /// Another user's, who is neither root nor a service.
        case uid(UInt32)
        /// One whose user the kernel does not tell, such as a container's.
        case unknown
        /// No process listens at the port, so any local user can take it.
        case noListener
    }

    /// Returns the server's end of a connection within this machine if it is not trusted.
    ///
    /// A connection that is not accepted yet belongs to no process. Then all that listen at the port count, and the connection
    /// is looked up once more, because the process that accepts it may stop listening meanwhile.
    ///
    /// - Parameters:
    ///   - client: The caller's end.
    ///   - server: The other end.
    /// - Returns: The stranger; nil if the server is trusted, or not of this machine.
    public static func stranger(client: End, server: End) -> Stranger? {
        switch peer(client: server, server: client) {
        case .remote: return nil
        case .uid(let owner): return stranger(owner)
        case .unknown:
            switch stranger(listeningAt: server.port) {
            case nil: break
            // The connection is that of a process, which no longer listens, or never did on this machine.
            case .noListener: return .unknown
            case let listener: return listener
            }
            // Only a connection that still waits belongs to those who listen. What is not found may be hidden by its process.
            guard let socket = socket(client: server, server: client) else { return .unknown }
            return socket.inode == 0 ? nil : socket.owner.map(stranger) ?? .unknown
        }
    }

    /// Returns the user of an untrusted socket that listens at a port of this machine.
    ///
    /// - Parameter port: The port.
    /// - Returns: ``Stranger/noListener`` if no process listens there; nil if all that listen are trusted.
    public static func stranger(listeningAt port: UInt16) -> Stranger? {
        guard let listeners = listeners(port: port) else { return .unknown }
        guard !listeners.isEmpty else { return .noListener }
        return listeners.lazy.compactMap { listener in
            listener.owner.map(stranger) ?? .unknown
        }.first
    }

    /// Returns the user as a stranger; nil for the user of this process, root, and users that are no persons: services, also
    /// those that systemd makes for a time.
    public static func stranger(_ uid: UInt32) -> Stranger? {
        uid == geteuid() || uid < 1000 || (61_184...65_519).contains(uid) ? nil : .uid(uid)
    }
}
