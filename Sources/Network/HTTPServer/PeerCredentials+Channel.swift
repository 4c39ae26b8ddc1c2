import NIOCore
import Systemd

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
