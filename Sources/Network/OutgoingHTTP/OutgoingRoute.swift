import AsyncHTTPClient
import NIOSSL
public import OAuth

/// The route on which requests reach remote servers, with an optional proxy and the trusted certificate authorities.
public struct OutgoingRoute: Sendable {
    /// A proxy that opens a tunnel to a server (`CONNECT`, RFC 9110 §9.3.6).
    public struct Proxy: Hashable, Sendable {
        let host: String
        let port: Int
        let username: String?
        let password: Secret?

        /// Creates a proxy that requires no authentication.
        public init(host: String, port: Int) {
            self.init(host: host, port: port, username: nil, password: nil)
        }

        /// Creates a proxy that authenticates its clients by a user name and a password (RFC 7617).
        public init(host: String, port: Int, username: String?, password: Secret?) {
            self.host = host
            self.port = port
            self.username = username
            self.password = password
        }

        /// The configuration of the HTTP client, which sends the credentials only to the proxy.
        var configuration: HTTPClient.Configuration.Proxy {
            guard let username, let password else { return .server(host: host, port: port) }
            return .server(
                host: host,
                port: port,
                authorization: .basic(username: username, password: password.reveal())
            )
        }
    }

    /// A direct route to each server, with the certificate authorities that this machine trusts.
    public static let direct = OutgoingRoute(proxy: nil, authorities: [])

    /// A function that returns the path of a local Unix socket, or `nil` to connect to the server's address.
    public typealias Socket = @Sendable () throws -> String?

    let proxy: Proxy?
    let authorities: [NIOSSLCertificate]
    /// The local ports that may be contacted over http without checking which process is listening.
    private(set) var trustedLoopback: Set<UInt16> = []
    private(set) var socket: Socket = { nil }
    private(set) var refusesName: @Sendable (String) -> Bool = { AddressCheck.isLinkLocal($0, flags: 0) }
}

extension OutgoingRoute {
    /// Creates a route through a local Unix socket, where `socket` must throw if no trusted process is listening.
    public init(socket: @escaping Socket) {
        self.init(proxy: nil, authorities: [], socket: socket)
    }

    /// Creates a route with a proxy for remote servers, and with additional certificate authorities from a PEM file.
    ///
    /// `trustedLoopback` contains local ports to contact over http without checking which process is listening.
    public init(proxy: Proxy?, authorityFile: String?, trustedLoopback: Set<UInt16> = []) throws {
        self.init(
            proxy: proxy,
            authorities: try authorityFile.map { try NIOSSLCertificate.fromPEMFile($0) } ?? [],
            trustedLoopback: trustedLoopback
        )
    }

    package func lookingUp(by refusesName: @escaping @Sendable (String) -> Bool) -> OutgoingRoute {
        var route = self
        route.refusesName = refusesName
        return route
    }
}
