public import Logging
import Systemd

/// Whether a daemon can look up the users of its local clients.
///
/// It cannot where its sockets belong to another network namespace, or the tables of sockets are hidden from it. All clients at
/// loopback then share one origin.
public struct PeerLookUp: Sendable {
    private let works: Bool

    /// Looks for the daemon's own sockets where the sockets of its clients would be found, and logs a warning if they are not
    /// there.
    public init(_ sockets: [ListeningSocket], logger: Logger) {
        works = sockets.allSatisfy { TCPOwner.isVisible(listener: $0.fileDescriptor) }
        guard !works else { return }
        logger.warning(
            "the users of local clients cannot be looked up: all clients at loopback share one origin",
            metadata: ["hint": "the unit needs PrivateNetwork=no, and AF_NETLINK in RestrictAddressFamilies="]
        )
    }

    /// The condition for `/readyz`: a warning, since the daemon serves all the same.
    public var check: Health.Check {
        Health.Check("peers", severity: .warning) { [works] in
            works ? nil : "the users of local clients cannot be looked up"
        }
    }
}
