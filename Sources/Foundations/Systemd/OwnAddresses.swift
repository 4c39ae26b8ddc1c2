import Glibc
import Synchronization

/// The addresses of this machine's network interfaces, which are cached for five seconds because they can change.
enum OwnAddresses {
    /// The addresses that tests use instead of the addresses from the kernel, or `nil` outside tests.
    @TaskLocal static var inPlace: Set<[UInt8]>?

    private static let life: Duration = .seconds(5)

    private struct Known {
        let addresses: Set<[UInt8]>
        let end: ContinuousClock.Instant
    }

    private static let known = Mutex<Known?>(nil)

    /// Returns whether an interface of this machine has the given address of 4 or 16 bytes in network byte order.
    static func contains(_ address: [UInt8]) -> Bool {
        if let inPlace { return inPlace.contains(address) }
        return known.withLock { known in
            let now = ContinuousClock.now
            if let known, now < known.end { return known.addresses.contains(address) }
            let addresses = current()
            known = Known(addresses: addresses, end: now + life)
            return addresses.contains(address)
        }
    }

    /// Returns the addresses that the kernel reports, or an empty set if the kernel reports an error.
    static func current() -> Set<[UInt8]> {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        var addresses: Set<[UInt8]> = []
        var next = list
        while let entry = next?.pointee {
            if let address = entry.ifa_addr, let end = TCPOwner.End(UnsafeRawPointer(address)) {
                addresses.insert(end.bytes)
            }
            next = entry.ifa_next
        }
        return addresses
    }
}
