import Foundation

/// The kernel's form of a numeric address and a port.
struct NumericAddress {
    let family: Int32
    private let bytes: [UInt8]

    /// Reads a numeric address; names are not looked up, since what a name means may change under a running daemon.
    init?(host: String, port: Int) {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard !host.isEmpty, getaddrinfo(host, String(port), &hints, &list) == 0, let first = list?.pointee,
            let address = first.ai_addr
        else { return nil }
        defer { freeaddrinfo(list) }
        family = first.ai_family
        bytes = Array(UnsafeRawBufferPointer(start: address, count: Int(first.ai_addrlen)))
    }

    /// Calls `body` with the address.
    func withSockaddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result? {
        bytes.withUnsafeBytes { raw in
            raw.baseAddress.map { body($0.assumingMemoryBound(to: sockaddr.self), socklen_t(raw.count)) }
        }
    }
}
