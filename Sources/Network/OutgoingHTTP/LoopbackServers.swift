import AsyncHTTPClient
package import FlowModel
import Glibc
import NIOCore
import NIOSSL
import OAuth
import Systemd

/// The local servers that may be called over http, even though no certificate identifies them.
public enum LoopbackServers: Hashable, Sendable {
    /// Servers that run as this process's user, as root or as a system service, and any server on these ports.
    case known(orAtPorts: Set<UInt16> = [])
    /// Any server, only for requests without secrets whose responses are not trusted.
    case any
}

/// The error for an http connection to an untrusted local server, to which no data was sent.
public struct UntrustedServer: Error, Hashable, Sendable, CustomStringConvertible {
    /// The local port that the server listens on.
    public let port: UInt16
    /// The uid of the server's process, or `nil` if the kernel does not report it.
    public let uid: UInt32?

    /// Creates the error for a server.
    public init(port: UInt16, uid: UInt32?) {
        self.port = port
        self.uid = uid
    }

    /// A description of what happened and how to fix it.
    public var description: String { said(at: "http://localhost:\(port)").english }

    /// Returns the description in English and as a catalog message, with `origin` as the server's URL.
    package func said(at origin: String) -> EnglishText {
        guard let uid else {
            return EnglishText(
                "An unknown process is listening on \(origin), possibly in a container. Use https, or allow this port with outgoing.trustedLoopback: [\(port)].",
                Text("failure.unknownListener", ["origin": origin, "port": port])
            )
        }
        return EnglishText(
            "A process owned by user \(uid) is listening on \(origin). Use https, or allow this port with outgoing.trustedLoopback: [\(port)].",
            Text("failure.foreignListener", ["origin": origin, "uid": uid, "port": port])
        )
    }
}

extension HTTPClient.Configuration {
    /// Rejects connections to untrusted local servers with ``UntrustedServer``, regardless of the URL's host name.
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

    /// Returns why a connection must not be used, or `nil` if it uses TLS or a Unix socket or its server is trusted.
    static func refusal(of channel: any Channel, trusted: Set<UInt16>) -> (any Error)? {
        if (try? channel.pipeline.syncOperations.handler(type: NIOSSLClientHandler.self)) != nil { return nil }
        if case .unixDomainSocket = channel.remoteAddress { return nil }
        guard let client = channel.localAddress?.withSockAddr({ address, _ in TCPOwner.End(address) }),
            let server = channel.remoteAddress?.withSockAddr({ address, _ in TCPOwner.End(address) })
        else {
            // The kernel does not report the addresses of a connection that is already closed.
            return ChannelError.ioOnClosedChannel
        }
        guard !trusted.contains(server.port), let stranger = TCPOwner.stranger(client: client, server: server) else {
            return nil
        }
        return UntrustedServer(server.port, stranger)
    }
}

extension OutgoingRoute.Proxy {
    /// Throws an error if the proxy's host is a loopback address and an untrusted process may listen on its port.
    ///
    /// The HTTP client sends the credentials as soon as it is connected, so the listener is checked before.
    func checkListener(_ servers: LoopbackServers) throws {
        guard case .known(let trusted) = servers, isLoopback, let port = UInt16(exactly: port), !trusted.contains(port)
        else { return }
        switch TCPOwner.stranger(listeningAt: port) {
        case nil: return
        // Any local user could take the port before the client is connected.
        case .noListener: throw IOError(errnoCode: ECONNREFUSED, reason: "connect")
        case let stranger?: throw UntrustedServer(port, stranger)
        }
    }

    /// Whether the host is `localhost` or a loopback address in any notation.
    private var isLoopback: Bool {
        Loopback.contains(host: host)
            || AddressCheck.hasAddress(host, flags: AI_NUMERICHOST) { TCPOwner.End($0)?.isLoopback ?? false }
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
