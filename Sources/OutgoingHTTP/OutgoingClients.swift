public import AsyncHTTPClient
import Foundation
import NIOCore
import NIOSSL
import OAuth

/// Connections to servers elsewhere on their way, and to those of this machine, which no proxy can reach.
public struct OutgoingClients: Sendable {
    private let near: HTTPClient
    private let far: HTTPClient

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
        }
    }

    /// Sends a request by the way to its server.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - timeout: The time until the head of the answer.
    /// - Returns: The answer.
    /// - Throws: What `HTTPClient` throws.
    public func execute(_ request: HTTPClientRequest, timeout: Duration) async throws -> HTTPClientResponse {
        let isNear = URLComponents(string: request.url)?.host.map { Loopback.contains(host: $0) } ?? false
        return try await (isNear ? near : far).execute(request, timeout: TimeAmount(timeout))
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
