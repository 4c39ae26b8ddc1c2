import NIOSSL

/// How requests reach remote servers: an optional proxy, and the trusted certificate authorities.
public struct OutgoingRoute: Sendable {
    /// The host and port of a proxy that opens a tunnel to a server (`CONNECT`, RFC 9110 §9.3.6).
    public typealias Proxy = (host: String, port: Int)

    /// A route directly to each server, with the certificate authorities that this machine trusts.
    public static let direct = OutgoingRoute(proxy: nil, authorities: [])

    /// Returns the path of a local Unix socket, or `nil` to connect to the server's address.
    public typealias Socket = @Sendable () throws -> String?

    let proxy: Proxy?
    let authorities: [NIOSSLCertificate]
    /// The local ports that may be called over http without checking which process is listening.
    private(set) var trustedLoopback: Set<UInt16> = []
    /// Returns the socket for all requests, or `nil` for none.
    private(set) var socket: Socket = { nil }
    /// Looks up a name, and returns whether one of its addresses is refused.
    ///
    /// It can block.
    private(set) var refusesName: @Sendable (String) -> Bool = { AddressCheck.isLinkLocal($0, flags: 0) }
}

extension OutgoingRoute {
    /// Creates a route that sends all requests to a local server through a Unix socket, regardless of their URL.
    ///
    /// - Parameter socket: Returns the socket's path for each request. It throws if no trusted process is listening
    ///   there.
    public init(socket: @escaping Socket) {
        self.init(proxy: nil, authorities: [], socket: socket)
    }

    /// Creates a route with additional certificate authorities.
    ///
    /// - Parameters:
    ///   - proxy: The proxy for all remote servers, or `nil` for none.
    ///   - authorityFile: A PEM file of additional certificate authorities, or `nil` for none.
    ///   - trustedLoopback: The local ports that may be called over http without checking which process is listening.
    /// - Throws: An error if the file cannot be used.
    public init(proxy: Proxy?, authorityFile: String?, trustedLoopback: Set<UInt16> = []) throws {
        self.init(
            proxy: proxy,
            authorities: try authorityFile.map { try NIOSSLCertificate.fromPEMFile($0) } ?? [],
            trustedLoopback: trustedLoopback
        )
    }

    /// Returns a copy of the route with another resolver.
    package func lookingUp(by refusesName: @escaping @Sendable (String) -> Bool) -> OutgoingRoute {
        var route = self
        route.refusesName = refusesName
        return route
    }
}
