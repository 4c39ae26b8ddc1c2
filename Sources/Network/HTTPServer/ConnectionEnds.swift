public import NIOCore
public import Systemd

/// The two ends of the TCP connection that a request came over.
public struct ConnectionEnds: Hashable, Sendable {
    /// The peer's end: a client's or a proxy's.
    public let client: TCPOwner.End
    /// Our end.
    public let server: TCPOwner.End

    /// The ends of a connection.
    public init(client: TCPOwner.End, server: TCPOwner.End) {
        self.client = client
        self.server = server
    }

    /// The ends of a channel; nil for one that is not of TCP.
    init?(_ channel: any Channel) {
        guard let client = channel.remoteAddress.flatMap(TCPOwner.End.init),
            let server = channel.localAddress.flatMap(TCPOwner.End.init)
        else { return nil }
        self.init(client: client, server: server)
    }
}

extension TCPOwner.End {
    /// The end that a socket's address names; nil for a Unix socket.
    public init?(_ address: SocketAddress) {
        guard let end = address.withSockAddr({ address, _ in TCPOwner.End(address) }) else { return nil }
        self = end
    }
}
