import Glibc
import NIOCore
import NIOPosix

/// A free loopback port for the daemon of a trial.
///
/// The port is released again so that the daemon can open it.
struct TrialPort {
    /// The number of ports to try.
    private static let mostTries = 16

    let number: Int
    /// The addresses for the daemon's `listen` setting: IPv4, and IPv6 if the machine has it.
    let addresses: [String]

    /// Finds a port, or returns `nil` if no tried port is free at both addresses.
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
                // A machine without IPv6 has only one address.
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
