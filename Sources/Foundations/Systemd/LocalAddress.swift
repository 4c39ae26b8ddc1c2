import Glibc

/// The numeric IP addresses on which processes of this machine can listen.
public enum LocalAddress {
    /// Returns whether this machine does not have the address `host`, for example because it does not support IPv6.
    ///
    /// The kernel decides, because it also accepts addresses that no interface lists, such as 127.0.0.2. A `host` that
    /// is not a numeric IP address is not missing.
    public static func isMissing(_ host: String) -> Bool {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard !host.isEmpty, getaddrinfo(host, "0", &hints, &list) == 0, let first = list?.pointee,
            let address = first.ai_addr
        else { return false }
        defer { freeaddrinfo(list) }
        let descriptor = socket(first.ai_family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return errno == EAFNOSUPPORT }
        defer { close(descriptor) }
        return bind(descriptor, address, first.ai_addrlen) != 0 && [EADDRNOTAVAIL, EAFNOSUPPORT].contains(errno)
    }
}
