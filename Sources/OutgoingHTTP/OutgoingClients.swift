public import AsyncHTTPClient
import Foundation
import NIOCore
import NIOSSL
import OAuth

/// Connections to servers elsewhere on their way, and to those of this machine, which no proxy can reach.
public struct OutgoingClients: Sendable {
    private let near: HTTPClient
    private let far: HTTPClient
    private let addresses = AddressCheck()
    /// True if a proxy looks up the names of servers elsewhere.
    private let asksProxy: Bool

    /// Clients with connections of their own, which their owner shuts down.
    ///
    /// - Parameters:
    ///   - connect: The time in which a connection must be made.
    ///   - route: The way to servers elsewhere.
    public init(connect: Duration, route: OutgoingRoute) {
        near = OutgoingHTTP.client(connect: connect) { $0.believe(route) }
        far = OutgoingHTTP.client(connect: connect) { configuration in
            configuration.believe(route)
            configuration.proxy = route.proxy.map { .server(host: $0.host, port: $0.port) }
            if route.proxy == nil { configuration.refuseServers(AddressCheck.isLinkLocal) }
        }
        asksProxy = route.proxy != nil
    }

    /// Sends a request by the way to its server, which may not be one that only one link knows.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - timeout: The time until the head of the answer.
    /// - Returns: The answer.
    /// - Throws: ``LinkLocalServer``, and what `HTTPClient` throws.
    public func execute(_ request: HTTPClientRequest, timeout: Duration) async throws -> HTTPClientResponse {
        let host = URLComponents(string: request.url)?.host ?? ""
        if Loopback.contains(host: host) { return try await near.execute(request, timeout: TimeAmount(timeout)) }
        if asksProxy { try AddressCheck.checkSpelling(host) } else { try await addresses.check(host) }
        return try await far.execute(request, timeout: TimeAmount(timeout))
    }

    /// Closes the connections; the clients may not be used afterwards.
    public func shutdown() async throws {
        try await near.shutdown()
        try await far.shutdown()
    }
}

extension HTTPClient.Configuration {
    fileprivate mutating func believe(_ route: OutgoingRoute) {
        guard !route.authorities.isEmpty else { return }
        var trust = TLSConfiguration.makeClientConfiguration()
        trust.additionalTrustRoots = [.certificates(route.authorities)]
        tlsConfiguration = trust
    }
}
