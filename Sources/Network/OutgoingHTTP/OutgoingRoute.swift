import NIOSSL

/// The way of requests to servers elsewhere: through a proxy or not, and whose certificates are believed.
public struct OutgoingRoute: Sendable {
    /// The place of a proxy that opens a tunnel to a server (`CONNECT`, RFC 9110 §9.3.6).
    public typealias Proxy = (host: String, port: Int)

    /// Straight to each server, with the certificate authorities that this machine trusts.
    public static let direct = OutgoingRoute(proxy: nil, authorities: [])

    /// Finds the path of a Unix socket of this machine; nil where the server is asked at its address.
    public typealias Socket = @Sendable () throws -> String?

    let proxy: Proxy?
    let authorities: [NIOSSLCertificate]
    /// The ports of this machine that may be reached over http, whatever listens there.
    private(set) var trustedLoopback: Set<UInt16> = []
    /// Finds the socket at which every server is asked.
    private(set) var socket: Socket = { nil }
    /// Looks a name up, which may block, and returns true if nothing is sent to one of its addresses.
    private(set) var refusesName: @Sendable (String) -> Bool = { AddressCheck.isLinkLocal($0, flags: 0) }
}

extension OutgoingRoute {
    /// The way to a server of this machine, whatever its address, by a Unix socket.
    ///
    /// - Parameter socket: Finds its path at each request, and throws if nobody who is trusted listens there.
    public init(socket: @escaping Socket) {
        self.init(proxy: nil, authorities: [], socket: socket)
    }

    /// A way with more certificate authorities than this machine trusts.
    ///
    /// - Parameters:
    ///   - proxy: The proxy for all servers but those of this machine; nil for none.
    ///   - authorityFile: A PEM file of certificate authorities; nil for no more of them.
    ///   - trustedLoopback: The ports of this machine that may be reached over http, whatever listens there.
    /// - Throws: The reason why the file cannot be used.
    public init(proxy: Proxy?, authorityFile: String?, trustedLoopback: Set<UInt16> = []) throws {
        self.init(
            proxy: proxy,
            authorities: try authorityFile.map { try NIOSSLCertificate.fromPEMFile($0) } ?? [],
            trustedLoopback: trustedLoopback
        )
    }

    /// Returns the same way, with names that somebody else than the system looks up.
    package func lookingUp(by refusesName: @escaping @Sendable (String) -> Bool) -> OutgoingRoute {
        var route = self
        route.refusesName = refusesName
        return route
    }
}
