import Glibc

/// A port on loopback that nobody has, for the daemon of a trial: it is let go for the daemon to take.
struct TrialPort {
    /// The number of ports that are tried.
    private static let mostTries = 16

    /// The number of the port.
    let number: UInt16
    /// Its addresses, as a daemon's `listen` has them: of IPv4, and of IPv6 where this machine has it.
    let addresses: [String]

    /// Finds a port; nil if none is free at both addresses.
    init?() {
        for _ in 0..<Self.mostTries {
            let first = Self.listen("127.0.0.1", 0)
            guard let one = first.descriptor else { continue }
            defer { close(one) }
            let port = Self.port(of: one)
            let second = Self.listen("::1", port)
            if let other = second.descriptor { close(other) }
            // A machine without IPv6 has one address only.
            guard second.descriptor != nil || [EADDRNOTAVAIL, EAFNOSUPPORT].contains(second.error) else { continue }
            number = port
            addresses = ["127.0.0.1:\(port)"] + (second.descriptor == nil ? [] : ["[::1]:\(port)"])
            return
        }
        return nil
    }

    private static func listen(_ host: String, _ port: UInt16) -> (descriptor: Int32?, error: Int32) {
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
            Glibc.listen(descriptor, 1) == 0
        else {
            let error = errno
            close(descriptor)
            return (nil, error)
        }
        return (descriptor, 0)
    }

    private static func port(of descriptor: Int32) -> UInt16 {
        var own = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &own) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard result == 0 else { return 0 }
        return withUnsafeBytes(of: &own) { UInt16(bigEndian: $0.load(fromByteOffset: 2, as: UInt16.self)) }
    }
}
