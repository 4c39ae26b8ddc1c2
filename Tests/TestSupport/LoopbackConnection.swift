import Glibc

/// A TCP connection of this process to itself.
///
/// The sockets are closed when the object is deallocated.
public final class LoopbackConnection {
    /// The loopback addresses.
    public enum Family: Sendable {
        /// The IPv4 address 127.0.0.1.
        case ipv4
        /// The IPv6 address ::1.
        case ipv6
        /// The IPv4 address 127.0.0.1 on IPv6 sockets, as `::ffff:127.0.0.1`.
        case mapped
    }

    /// A failed system call.
    struct Failed: Error {
        let call: String
        let code: Int32
    }

    private let sockets: [Int32]
    /// The address of the listening socket, as the bytes of a `sockaddr_in` or `sockaddr_in6`.
    public let server: [UInt8]
    /// The address of the connecting socket, in the same format as ``server``.
    public let client: [UInt8]

    /// Listens on a loopback port and connects to it.
    ///
    /// - Throws: An error that names the failed call.
    public init(_ family: Family = .ipv4) throws {
        var address: [UInt8]
        let domain: Int32
        switch family {
        case .ipv4:
            domain = AF_INET
            address = [UInt8](repeating: 0, count: MemoryLayout<sockaddr_in>.size)
            address.replaceSubrange(4..<8, with: [127, 0, 0, 1])
        case .ipv6:
            domain = AF_INET6
            address = [UInt8](repeating: 0, count: MemoryLayout<sockaddr_in6>.size)
            address[23] = 1
        case .mapped:
            domain = AF_INET6
            address = [UInt8](repeating: 0, count: MemoryLayout<sockaddr_in6>.size)
            address.replaceSubrange(18..<24, with: [0xFF, 0xFF, 127, 0, 0, 1])
        }
        withUnsafeBytes(of: sa_family_t(domain)) { address.replaceSubrange(0..<2, with: $0) }
        let listener = socket(domain, Int32(SOCK_STREAM.rawValue), 0)
        let caller = socket(domain, Int32(SOCK_STREAM.rawValue), 0)
        sockets = [listener, caller]
        func checked(_ call: String, _ body: (UnsafeMutablePointer<sockaddr>) -> Int32) throws {
            let code = address.withUnsafeMutableBytes { bytes in
                bytes.baseAddress.map { body($0.assumingMemoryBound(to: sockaddr.self)) } ?? -1
            }
            guard code == 0 else { throw Failed(call: call, code: errno) }
        }
        var size = socklen_t(address.count)
        try checked("bind") { bind(listener, $0, size) }
        try checked("listen") { _ in listen(listener, 1) }
        try checked("getsockname") { getsockname(listener, $0, &size) }
        server = address
        try checked("connect") { connect(caller, $0, size) }
        try checked("getsockname") { getsockname(caller, $0, &size) }
        client = address
    }

    deinit {
        for socket in sockets { close(socket) }
    }
}
