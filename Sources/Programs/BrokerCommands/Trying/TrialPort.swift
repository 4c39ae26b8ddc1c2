import Glibc
import NIOCore
import NIOPosix

/// A port on loopback that nobody has, for the daemon of a trial: it is let go for the daemon to take.
struct TrialPort {
    /// The number of ports that are tried.
    private static let mostTries = 16

    /// The number of the port.
    let number: Int
    /// Its addresses, as a daemon's `listen` has them: of IPv4, and of IPv6 where this machine has it.
    let addresses: [String]

    /// Finds a port; nil if none is free at both addresses.
    init?() {
        for _ in 0..<Self.mostTries {
            guard let first = try? Self.listen("127.0.0.1", 0) else { continue }
            defer { try? first.close().wait() }
            guard let port = first.localAddress?.port else { continue }
            do {
                try Self.listen("::1", port).close().wait()
                (number, addresses) = (port, ["127.0.0.1:\(port)", "[::1]:\(port)"])
                return
            } catch let error as IOError where [EADDRNOTAVAIL, EAFNOSUPPORT].contains(error.errnoCode) {
                // A machine without IPv6 has one address only.
                (number, addresses) = (port, ["127.0.0.1:\(port)"])
                return
            } catch {
                continue
            }
        }
        return nil
    }

    private static func listen(_ host: String, _ port: Int) throws -> any Channel {
        try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton).bind(host: host, port: port).wait()
    }
}
