import AsyncHTTPClient
package import FlowModel
import NIOCore
import NIOSSL
import Systemd

/// The servers of this machine to which requests are sent over http, where no certificate identifies them.
public enum LoopbackServers: Hashable, Sendable {
    /// Servers of this process's user, of root and of services, and any server at these ports.
    case known(orAtPorts: Set<UInt16> = [])
    /// Any server: for requests without a secret, whose answers are not believed.
    case any
}

/// Refusal of an http connection to a server of this machine that is not trusted; nothing was sent.
public struct UntrustedServer: Error, Hashable, Sendable, CustomStringConvertible {
    /// The server's port.
    public let port: UInt16
    /// The uid of its user; nil if the kernel does not tell.
    public let uid: UInt32?

    /// The refusal of a server.
    public init(port: UInt16, uid: UInt32?) {
        self.port = port
        self.uid = uid
    }

    /// What happened, and what to do about it.
    public var description: String { said(at: "http://localhost:\(port)").english }

    /// The same of the server at an origin, in English and as a text.
    package func said(at origin: String) -> EnglishText {
        guard let uid else {
            return EnglishText(
                "\(origin) is served by a process this machine does not know (a container's port?). Use https, or allow it: outgoing.trustedLoopback: [\(port)].",
                Text("failure.unknownListener", ["origin": origin, "port": port])
            )
        }
        return EnglishText(
            "\(origin) is served by user \(uid) of this machine. Use https, or allow it: outgoing.trustedLoopback: [\(port)].",
            Text("failure.foreignListener", ["origin": origin, "uid": uid, "port": port])
        )
    }
}

extension HTTPClient.Configuration {
    /// Gives up connections within this machine whose other end is not trusted, before anything is sent.
    ///
    /// Requests fail with ``UntrustedServer``. It looks at each connection itself, whatever name led there.
    mutating func connectOnly(to servers: LoopbackServers) {
        let trusted: Set<UInt16>
        switch servers {
        case .known(let ports): trusted = ports
        case .any: return
        }
        let initialize = http1_1ConnectionDebugInitializer
        http1_1ConnectionDebugInitializer = { channel in
            if let refusal = Self.refusal(of: channel, trusted: trusted) {
                channel.close(promise: nil)
                return channel.eventLoop.makeFailedFuture(refusal)
            }
            return initialize?(channel) ?? channel.eventLoop.makeSucceededVoidFuture()
        }
    }

    /// Returns why nothing may be sent over a connection.
    ///
    /// - Parameters:
    ///   - channel: The connection, on its event loop.
    ///   - trusted: The ports where any process is trusted.
    /// - Returns: The reason; nil if it is encrypted, of a Unix socket, or leads to a trusted server.
    static func refusal(of channel: any Channel, trusted: Set<UInt16>) -> (any Error)? {
        if (try? channel.pipeline.syncOperations.handler(type: NIOSSLClientHandler.self)) != nil { return nil }
        if case .unixDomainSocket = channel.remoteAddress { return nil }
        guard let client = channel.localAddress?.withSockAddr({ address, _ in TCPOwner.End(address) }),
            let server = channel.remoteAddress?.withSockAddr({ address, _ in TCPOwner.End(address) })
        else {
            // The kernel names no ends of a connection that is closed already.
            return ChannelError.ioOnClosedChannel
        }
        guard !trusted.contains(server.port), let stranger = TCPOwner.stranger(client: client, server: server) else {
            return nil
        }
        return UntrustedServer(server.port, stranger)
    }
}

extension UntrustedServer {
    fileprivate init(_ port: UInt16, _ stranger: TCPOwner.Stranger) {
        switch stranger {
        case .uid(let uid): self.init(port: port, uid: uid)
        case .unknown, .noListener: self.init(port: port, uid: nil)
        }
    }
}
