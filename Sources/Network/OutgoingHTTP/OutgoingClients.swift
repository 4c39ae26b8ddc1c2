public import AsyncHTTPClient
public import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import OAuth

/// Connections to servers elsewhere on their way, and to those of this machine, which no proxy can reach.
public struct OutgoingClients: Sendable {
    private let near: HTTPClient
    private let far: HTTPClient
    private let addresses: AddressCheck
    /// True if a proxy looks up the names of servers elsewhere.
    private let asksProxy: Bool
    private let socket: OutgoingRoute.Socket

    /// Clients with connections of their own, which their owner shuts down.
    ///
    /// - Parameters:
    ///   - connect: The time in which a connection must be made.
    ///   - route: The way to servers elsewhere.
    ///   - certificate: The certificate that servers are shown; nil for none.
    public init(connect: Duration, route: OutgoingRoute, certificate: ClientCertificate? = nil) {
        self.init(connect: connect, route: route, certificate: certificate, refusing: AddressCheck.isLinkLocal)
    }

    /// The same, with the addresses to which nothing is sent once a connection there is made.
    init(
        connect: Duration,
        route: OutgoingRoute,
        certificate: ClientCertificate? = nil,
        refusing isRefused: @escaping @Sendable (SocketAddress) -> Bool
    ) {
        addresses = AddressCheck(isRefused: route.refusesName)
        let loopback = LoopbackServers.known(orAtPorts: route.trustedLoopback)
        near = OutgoingHTTP.client(connect: connect, loopback: loopback) { configuration in
            configuration.secure(route, certificate)
        }
        far = OutgoingHTTP.client(connect: connect, loopback: loopback) { configuration in
            configuration.secure(route, certificate)
            configuration.proxy = route.proxy.map { .server(host: $0.host, port: $0.port) }
            if route.proxy == nil { configuration.refuseServers(isRefused) }
        }
        asksProxy = route.proxy != nil
        socket = route.socket
    }

    /// Sends a request by the way to its server, which may not be one that only one link knows.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - timeout: The time until the head of the answer.
    ///   - uid: The user of the machine for whom it is sent, who has a share of the look-ups; nil for anybody else.
    /// - Returns: The answer.
    /// - Throws: ``LinkLocalServer``, ``TooManyLookUps``, ``UnusablePort``, ``UntrustedServer``, and what
    ///   `HTTPClient` throws.
    public func execute(
        _ request: HTTPClientRequest,
        timeout: Duration,
        for uid: UInt32? = nil
    ) async throws -> HTTPClientResponse {
        try OutgoingHTTP.checkPort(of: request.url)
        if let socket = try socket() {
            return try await near.execute(try request.sent(to: socket), timeout: TimeAmount(timeout))
        }
        let host = URLComponents(string: request.url)?.host ?? ""
        if Loopback.contains(host: host) { return try await near.execute(request, timeout: TimeAmount(timeout)) }
        if asksProxy { try AddressCheck.checkSpelling(host) } else { try await addresses.check(host, for: uid) }
        return try await far.execute(request, timeout: TimeAmount(timeout))
    }

    /// Closes the connections; the clients may not be used afterwards.
    public func shutdown() async throws {
        try await near.shutdown()
        try await far.shutdown()
    }
}

extension HTTPClient.Configuration {
    fileprivate mutating func secure(_ route: OutgoingRoute, _ certificate: ClientCertificate?) {
        guard !route.authorities.isEmpty || certificate != nil else { return }
        var security = TLSConfiguration.makeClientConfiguration()
        security.additionalTrustRoots = [.certificates(route.authorities)]
        if let certificate {
            security.certificateChain = certificate.chain.map { .certificate($0) }
            security.privateKey = .privateKey(certificate.key)
        }
        tlsConfiguration = security
    }
}

extension HTTPClientRequest {
    /// The same request to a Unix socket: the server is named by its `Host`.
    fileprivate func sent(to socket: String) throws -> HTTPClientRequest {
        guard let address = URLComponents(string: url), let host = address.encodedHost else {
            throw HTTPClientError.invalidURL
        }
        let path = address.percentEncodedPath.isEmpty ? "/" : address.percentEncodedPath
        let query = address.percentEncodedQuery.map { "?\($0)" } ?? ""
        guard let place = URL(httpURLWithSocketPath: socket, uri: path + query) else {
            throw HTTPClientError.invalidURL
        }
        var request = self
        request.url = place.absoluteString
        request.headers.replaceOrAdd(name: "Host", value: host + (address.port.map { ":\($0)" } ?? ""))
        return request
    }
}

/// A certificate of ours with its key, by which servers elsewhere know us in TLS.
public struct ClientCertificate: Sendable {
    let chain: [NIOSSLCertificate]
    let key: NIOSSLPrivateKey

    /// Reads a certificate and its key.
    ///
    /// - Parameters:
    ///   - certificate: The certificate in PEM, and those that lead to its authority.
    ///   - privateKey: The key in PEM.
    /// - Throws: The reason why they cannot be used.
    public init(certificate: Data, privateKey: Data) throws {
        chain = try NIOSSLCertificate.fromPEMBytes(Array(certificate))
        key = try NIOSSLPrivateKey(bytes: Array(privateKey), format: .pem)
    }
}
