import Logging
import NIOCore
import Synchronization
import Systemd

/// Limits connections to a service's Unix sockets per uid, and per user including all of the user's subordinate uids.
///
/// A caller that opens many connections cannot use up the connections of others.
final class PeerPlaces: Sendable {
    private let connections: Mutex<PeerConnections>
    private let refusals: RefusalLog

    /// The reason for closing a connection right after it was accepted.
    private struct NoPlace: Error {}

    /// - Parameters:
    ///   - limits: The limits for one uid and for all uids. One user can have at most a quarter of the total.
    ///   - logger: Logs refused callers.
    init(limits: HTTPLimits, logger: Logger) {
        let total = max(limits.connections, limits.connectionsAnswered)
        connections = Mutex(PeerConnections(perUID: limits.connectionsPerUID, total: total))
        refusals = RefusalLog(logger: logger)
    }

    /// Reserves a connection for a uid.
    ///
    /// - Returns: Whether the limit allows another connection.
    func enter(_ uid: UInt32) -> Bool { connections.withLock { $0.enter(uid) } }

    /// Counts a connection until it closes, or closes the connection immediately if its uid has reached the limit.
    ///
    /// - Returns: A future that fails if the connection was closed.
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
    /// Reads the peer of a Unix socket channel.
    ///
    /// Call this on the channel's event loop.
    init(at channel: any Channel) throws {
        let peer = try channel.pipeline.syncOperations
            .withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { try PeerCredentials(descriptor: $0) }
        guard let peer else { throw ChannelError.operationUnsupported }
        self = peer
    }

    /// Returns the uid of a Unix socket channel's peer, or `nil` if the kernel does not report it.
    static func uid(at channel: any Channel) async -> UInt32? {
        try? await channel.eventLoop.submit { try PeerCredentials(at: channel).uid }.get()
    }
}
