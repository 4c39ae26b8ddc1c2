public import AsyncHTTPClient
public import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import OAuth

/// HTTP clients for remote servers, which are reached through the configured route, and for local servers, which a
/// proxy cannot reach.
public struct OutgoingClients: Sendable {
    private let near: HTTPClient
    private let far: HTTPClient
    private let addresses: AddressCheck
    /// Whether a proxy resolves the host names of remote servers.
    private let asksProxy: Bool
    private let socket: OutgoingRoute.Socket

    /// Creates clients with their own connections.
    ///
    /// The owner must shut down the clients.
    ///
    /// - Parameters:
    ///   - connect: The timeout for connecting.
    ///   - route: The route to remote servers.
    ///   - certificate: The TLS client certificate, or `nil` for none.
    public init(connect: Duration, route: OutgoingRoute, certificate: ClientCertificate? = nil) {
        self.init(connect: connect, route: route, certificate: certificate, refusing: AddressCheck.isLinkLocal)
    }

    /// Creates clients with a rule that says which addresses must not be connected to.
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

    /// Sends a request over the route to its server.
    ///
    /// Requests to link-local servers fail.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - timeout: The timeout for the head of the response.
    ///   - uid: The local user that the request is for, whose lookup limit applies, or `nil` for none.
    /// - Returns: The response, whose body is not read yet.
    /// - Throws: ``LinkLocalServer``, ``TooManyLookUps``, ``UnusablePort``, ``UntrustedServer``, or an `HTTPClient`
    ///   error.
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

    /// Closes the connections.
    ///
    /// The clients must not be used afterwards.
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
    /// Returns a copy of the request that is sent over a Unix socket.
    ///
    /// `Host` still contains the server's name.
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

/// A TLS client certificate with its key, which identifies this machine to remote servers.
public struct ClientCertificate: Sendable {
    let chain: [NIOSSLCertificate]
    let key: NIOSSLPrivateKey

    /// Parses a certificate and its key.
    ///
    /// - Parameters:
    ///   - certificate: The PEM certificate chain, beginning with the client certificate.
    ///   - privateKey: The private key in PEM.
    /// - Throws: An error if the certificate or the key cannot be used.
    public init(certificate: Data, privateKey: Data) throws {
        chain = try NIOSSLCertificate.fromPEMBytes(Array(certificate))
        key = try NIOSSLPrivateKey(bytes: Array(privateKey), format: .pem)
    }
}
