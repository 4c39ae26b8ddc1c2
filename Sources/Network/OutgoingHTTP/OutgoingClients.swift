public import AsyncHTTPClient
public import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import OAuth

/// HTTP clients for remote servers (over the configured route) and for local servers (without a proxy).
public struct OutgoingClients: Sendable {
    private let near: HTTPClient
    private let far: HTTPClient
    private let addresses: AddressCheck
    private let loopback: LoopbackServers
    /// The proxy that resolves the host names of remote servers, or `nil` if there is none.
    private let proxy: OutgoingRoute.Proxy?
    private let nearProbe: CertificateProbe
    private let farProbe: CertificateProbe
    private let socket: OutgoingRoute.Socket

    /// Creates clients that have their own connections, and that the caller must shut down.
    public init(connect: Duration, route: OutgoingRoute, certificate: ClientCertificate? = nil) {
        self.init(connect: connect, route: route, certificate: certificate, refusing: AddressCheck.isLinkLocal)
    }

    /// Creates clients that do not connect directly to a remote address that `isRefused` refuses.
    init(
        connect: Duration,
        route: OutgoingRoute,
        certificate: ClientCertificate? = nil,
        refusing isRefused: @escaping @Sendable (SocketAddress) -> Bool
    ) {
        addresses = AddressCheck(isRefused: route.refusesName)
        loopback = .known(orAtPorts: route.trustedLoopback)
        near = OutgoingHTTP.client(connect: connect, loopback: loopback) { configuration in
            configuration.secure(route, certificate)
        }
        let toFarServers: @Sendable (inout HTTPClient.Configuration) -> Void = { configuration in
            configuration.proxy = route.proxy?.configuration
            if route.proxy == nil { configuration.refuseServers(isRefused) }
        }
        far = OutgoingHTTP.client(connect: connect, loopback: loopback) { configuration in
            configuration.secure(route, certificate)
            toFarServers(&configuration)
        }
        nearProbe = CertificateProbe(loopback: loopback)
        farProbe = CertificateProbe(loopback: loopback, proxy: route.proxy, change: toFarServers)
        proxy = route.proxy
        socket = route.socket
    }

    /// Sends a request for the local user `uid`, and returns the response if its head arrives within `timeout`.
    ///
    /// - Throws: ``LinkLocalServer``, ``TooManyLookUps``, ``UnusablePort``, ``UntrustedServer``, ``OutgoingFailure``, or
    ///   an error of the HTTP client.
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
        let isNear = Loopback.contains(host: host)
        if !isNear {
            if proxy != nil { try AddressCheck.checkSpelling(host) } else { try await addresses.check(host, for: uid) }
        }
        do {
            if !isNear { try proxy?.checkListener(loopback) }
            return try await (isNear ? near : far).execute(request, timeout: TimeAmount(timeout))
        } catch {
            if let failure = OutgoingFailure(ofAuthorities: TrustedAuthorities.file, at: request.url) { throw failure }
            if CertificateProbe.concerns(error) {
                throw await (isNear ? nearProbe : farProbe).failure(at: request.url, host: host)
            }
            throw OutgoingFailure(error, at: host, over: isNear ? nil : proxy) ?? error
        }
    }

    /// Permanently closes the connections.
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
    /// Returns a copy of the request for sending over a Unix socket, with the server's name in `Host`.
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

    /// Parses a PEM chain, which must begin with the client certificate, and its private key in PEM.
    public init(certificate: Data, privateKey: Data) throws {
        chain = try NIOSSLCertificate.fromPEMBytes(Array(certificate))
        key = try NIOSSLPrivateKey(bytes: Array(privateKey), format: .pem)
    }
}
