import Glibc
import Synchronization

/// The addresses of this machine's network interfaces, cached for five seconds because they can change.
enum OwnAddresses {
    /// The addresses that tests use instead of those reported by the kernel.
    @TaskLocal static var inPlace: Set<[UInt8]>?

    private static let life: Duration = .seconds(5)

    private struct Known {
        let addresses: Set<[UInt8]>
        let end: ContinuousClock.Instant
    }

    private static let known = Mutex<Known?>(nil)

    /// Whether an interface has this address: 4 or 16 bytes in network order.
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

    /// Reads the addresses from the kernel, or returns an empty set if that fails.
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
