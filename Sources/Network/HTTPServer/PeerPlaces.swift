import Logging
import NIOCore
import Synchronization
import Systemd

/// Places of each uid, and of each user with all subordinate uids, at the Unix sockets of a service.
///
/// A caller that connects without end leaves the others theirs.
final class PeerPlaces: Sendable {
    private let connections: Mutex<PeerConnections>
    private let refusals: RefusalLog

    /// The reason why a connection is closed as soon as it was accepted.
    private struct NoPlace: Error {}

    /// - Parameters:
    ///   - limits: The connections of one uid, and those of all uids, of which a user has a quarter at most.
    ///   - logger: Logs who is refused.
    init(limits: HTTPLimits, logger: Logger) {
        let total = max(limits.connections, limits.connectionsAnswered)
        connections = Mutex(PeerConnections(perUID: limits.connectionsPerUID, total: total))
        refusals = RefusalLog(logger: logger)
    }

    /// Takes a place for a connection of a uid.
    ///
    /// - Returns: Whether there was one.
    func enter(_ uid: UInt32) -> Bool { connections.withLock { $0.enter(uid) } }

    /// Lets a connection in until it closes, or closes it if its uid has no place left.
    ///
    /// - Returns: Fails if the connection was closed.
    func admit(_ channel: any Channel) -> EventLoopFuture<Void> {
        let admitted = channel.eventLoop.makeCompletedFuture {
            let peer = try PeerCredentials(at: channel)
            guard enter(peer.uid) else {
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

extension PeerCredentials {
    /// The peer of a channel over a Unix socket, for its event loop alone.
    init(at channel: any Channel) throws {
        let peer = try channel.pipeline.syncOperations
            .withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { try PeerCredentials(descriptor: $0) }
        guard let peer else { throw ChannelError.operationUnsupported }
        self = peer
    }

    /// The uid of the peer of a channel over a Unix socket; nil if the kernel does not say.
    static func uid(at channel: any Channel) async -> UInt32? {
        try? await channel.eventLoop.submit { try PeerCredentials(at: channel).uid }.get()
    }
}
