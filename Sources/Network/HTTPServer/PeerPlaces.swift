import Logging
import NIOCore
import Synchronization
import Systemd

/// Limits the connections to a service's Unix sockets per uid, and per user including subordinate uids.
final class PeerPlaces: Sendable {
    private let connections: Mutex<PeerConnections>
    private let refusals: RefusalLog

    private struct NoPlace: Error {}

    init(limits: HTTPLimits, logger: Logger) {
        let total = max(limits.connections, limits.connectionsAnswered)
        connections = Mutex(PeerConnections(perUID: limits.connectionsPerUID, total: total))
        refusals = RefusalLog(logger: logger)
    }

    /// Counts a new connection from `uid`, or returns `false` if a limit is reached.
    func enter(_ uid: UInt32) -> Bool { connections.withLock { $0.enter(uid) } }

    /// Counts a connection until it closes, or closes it and fails if its peer has reached a limit.
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
    /// Reads the credentials of the channel's peer, and must be called on the channel's event loop.
    init(at channel: any Channel) throws {
        let peer = try channel.pipeline.syncOperations
            .withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { try PeerCredentials(descriptor: $0) }
        guard let peer else { throw ChannelError.operationUnsupported }
        self = peer
    }

    static func uid(at channel: any Channel) async -> UInt32? {
        try? await channel.eventLoop.submit { try PeerCredentials(at: channel).uid }.get()
    }
}
