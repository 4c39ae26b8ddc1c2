import NIOSSL

/// The route on which requests reach remote servers, with an optional proxy and the trusted certificate authorities.
public struct OutgoingRoute: Sendable {
    /// The host and port of a proxy that opens a tunnel to a server (`CONNECT`, RFC 9110 §9.3.6).
    public typealias Proxy = (host: String, port: Int)

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
