import Glibc
import NIOCore
import NIOPosix

/// A loopback port that was free when it was chosen, for a trial's daemon to listen on.
struct TrialPort {
    private static let mostTries = 16

    let number: Int
    /// The addresses for the daemon's `listen` setting: IPv4, and IPv6 if the machine supports it.
    let addresses: [String]

    /// Finds a port that is free on both loopback addresses, or returns `nil` if there is none.
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
                // Without IPv6, there is only one address.
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
