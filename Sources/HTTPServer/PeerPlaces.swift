import Logging
import NIOCore
import Synchronization
import Systemd

/// Places of each uid at the Unix sockets of a service, so that one that connects without end leaves the others theirs.
final class PeerPlaces: Sendable {
    private let connections: Mutex<PeerConnections>
    private let refusals: RefusalLog

    /// The reason why a connection is closed as soon as it was accepted.
    private struct NoPlace: Error {}

    /// - Parameters:
    ///   - perUID: Connections of one uid at a time; how many there are of all uids, each listener bounds.
    ///   - logger: Logs who is refused.
    init(perUID: Int, logger: Logger) {
        connections = Mutex(PeerConnections(perUID: perUID, total: .max))
        refusals = RefusalLog(logger: logger)
    }

    /// Lets a connection in until it closes, or closes it if its uid has no place left.
    ///
    /// - Returns: Fails if the connection was closed.
    func admit(_ channel: any Channel) -> EventLoopFuture<Void> {
        let admitted = channel.eventLoop.makeCompletedFuture {
            let peer = try PeerCredentials(at: channel)
            guard connections.withLock({ $0.enter(peer.uid) }) else {
                refusals.refused(
                    "connection refused",
                    of: "uid \(peer.uid)",
                    metadata: ["uid": "\(peer.uid)", "pid": "\(peer.pid)"]
                )
                throw NoPlace()
            }
            channel.closeFuture.whenComplete { [self] _ in connections.withLock { $0.leave(peer.uid) } }
        }
        admitted.whenFailure { _ in channel.close(promise: nil) }
        return admitted
    }
}
