public import AsyncHTTPClient
import NIOCore
import NIOSSL
import Systemd

/// Refusal of a connection to a port of this machine where another person listens.
public struct StrangerListens: Error, Hashable, Sendable {
    /// That person's uid.
    public let uid: UInt32
}

extension HTTPClient.Configuration {
    /// Gives up connections within this machine whose other end is another person's, before anything is sent.
    ///
    /// It is for `http`: a certificate tells more than a port. Requests fail with ``StrangerListens``.
    public mutating func refuseStrangers() {
        http1_1ConnectionDebugInitializer = { channel in
            guard (try? channel.pipeline.syncOperations.handler(type: NIOSSLClientHandler.self)) == nil,
                let client = channel.localAddress?.withSockAddr({ address, _ in TCPOwner.End(address) }),
                let server = channel.remoteAddress?.withSockAddr({ address, _ in TCPOwner.End(address) }),
                let uid = TCPOwner.stranger(client: client, server: server)
            else { return channel.eventLoop.makeSucceededVoidFuture() }
            channel.close(promise: nil)
            return channel.eventLoop.makeFailedFuture(StrangerListens(uid: uid))
        }
    }
}
