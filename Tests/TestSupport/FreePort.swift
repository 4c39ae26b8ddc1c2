import Foundation
import Synchronization

/// The range of ports that this process may use.
///
/// Several test programs run in parallel. `scripts/run-tests` gives each of them its own range below the kernel's
/// ephemeral ports.
private let ports: ClosedRange<Int> = {
    let variable = ProcessInfo.processInfo.environment["TOKENBROKER_TEST_PORTS"]
    let ends = variable?.split(separator: "-").compactMap { Int($0) }
    guard let ends, ends.count == 2, ends[0] <= ends[1] else { return 20_000...31_999 }
    return ends[0]...ends[1]
}()

/// The ports that this process has already used, which a server that starts later may still be about to open.
private let used = Mutex<Set<Int>>([])

/// Returns a loopback TCP port that is free at the moment, on IPv4 and on IPv6, and that no earlier call has returned.
public func freePort() -> Int {
    for _ in 0..<100 {
        let port = Int.random(in: ports)
        guard bindable(port, AF_INET), bindable(port, AF_INET6) else { continue }
        if used.withLock({ $0.insert(port).inserted }) { return port }
    }
    preconditionFailure("no free port in a hundred tries")
}

private func bindable(_ port: Int, _ family: Int32) -> Bool {
    let fd = socket(family, Int32(SOCK_STREAM.rawValue), 0)
    guard fd >= 0 else { return false }
    defer { close(fd) }
    if family == AF_INET {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(fd, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = UInt16(port).bigEndian
    address.sin6_addr = in6addr_loopback
    return withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(fd, $0, socklen_t(MemoryLayout<sockaddr_in6>.size)) == 0
        }
    }
}
