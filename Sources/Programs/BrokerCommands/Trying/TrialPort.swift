import NIOCore
import NIOPosix
import Systemd

/// A loopback port that was free when it was chosen, for a trial's daemon to listen on.
struct TrialPort {
    private static let mostTries = 16

    let number: Int
    /// The IPv4 address and, if the machine supports IPv6, the IPv6 address for the daemon's `listen` setting.
    let addresses: [String]

    /// Finds a port that is free on both loopback addresses, or returns `nil` after too many attempts.
    init?() {
        for _ in 0..<Self.mostTries {
            guard let first = try? Self.listen("127.0.0.1", 0) else { continue }
            defer { try? first.close().wait() }
            guard let port = first.localAddress?.port else { continue }
            // On a machine without IPv6, the IPv4 address is enough.
            if LocalAddress.isMissing("::1") {
                (number, addresses) = (port, ["127.0.0.1:\(port)"])
                return
            }
            guard let second = try? Self.listen("::1", port) else { continue }
            try? second.close().wait()
            (number, addresses) = (port, ["127.0.0.1:\(port)", "[::1]:\(port)"])
            return
        }
        return nil
    }

    private static func listen(_ host: String, _ port: Int) throws -> any Channel {
        try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton).bind(host: host, port: port).wait()
    }
}
