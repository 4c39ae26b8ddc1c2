import AsyncHTTPClient
public import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import OutgoingHTTP

/// An HTTP client that fetches small documents from authorities and follows no redirects.
public struct KeyFetcher: Sendable {
    /// The maximum length of a document, in bytes.
    public static let maxLength = 64 * 1024
    /// The time limit for fetching one document, from opening the connection until the document's last byte.
    public static let timeout: Duration = .seconds(5)

    private let client: HTTPClient
    private let loopback: LoopbackServers
    private let clock: any Clock<Duration>

    /// Creates a fetcher that trusts any process that listens on the local ports in `trustedLoopback`.
    public init(trustedLoopback: Set<UInt16> = []) {
        self.init(clock: ContinuousClock(), trustedLoopback: trustedLoopback)
    }

    init(clock: any Clock<Duration>, trustedLoopback: Set<UInt16> = []) {
        loopback = .known(orAtPorts: trustedLoopback)
        client = OutgoingHTTP.client(connect: Self.timeout, loopback: loopback)
        self.clock = clock
    }

    /// Closes the connections, after which the fetcher can no longer be used.
    public func shutdown() async throws {
        try await client.shutdown()
    }

    /// Fetches the document at `path` and its query from `host[:port]`, or returns `nil` if there is none.
    public func document(path: String, host: String, from origin: KeyOrigin) async throws -> FetchedDocument? {
        let request = try request(path, host, origin)
        do {
            return try await OutgoingHTTP.within(Self.timeout, by: clock) { try await fetch(request) }
        } catch let error as RemoteKeysError {
            throw error
        } catch is NIOTooManyBytesError {
            throw RemoteKeysError(.protocolViolation, "\(origin) sent more than \(Self.maxLength) bytes")
        } catch {
            let failure = await OutgoingHTTP.failure(error, at: request.url, loopback: loopback)
            throw RemoteKeysError(.unreachable, "\(origin): \(OutgoingHTTP.description(of: failure ?? error))")
        }
    }

    private func request(_ path: String, _ host: String, _ origin: KeyOrigin) throws -> HTTPClientRequest {
        var request: HTTPClientRequest
        switch origin {
        case .web(let origin):
            request = HTTPClientRequest(url: origin + path)
        case .unixSocket(let socket):
            guard let url = URL(httpURLWithSocketPath: socket, uri: path) else {
                throw RemoteKeysError(.protocolViolation, "\(path) is not a path")
            }
            request = HTTPClientRequest(url: url.absoluteString)
        }
        request.headers = ["Host": host, "Accept": "application/json", "User-Agent": "tokenbroker"]
        return request
    }

    private func fetch(_ request: HTTPClientRequest) async throws -> FetchedDocument? {
        let response = try await client.execute(request, timeout: .init(Self.timeout))
        switch response.status.code {
        case 200: break
        case 404: return nil
        case 500...: throw RemoteKeysError(.unreachable, "status \(response.status.code)")
        default: throw RemoteKeysError(.protocolViolation, "status \(response.status.code)")
        }
        let bytes = Data(buffer: try await response.body.collect(upTo: Self.maxLength))
        return FetchedDocument(bytes, cacheControl: response.headers["Cache-Control"])
    }
}

/// A document as received, and how long it may be cached.
public struct FetchedDocument: Sendable {
    /// The freshness lifetime of a document whose response does not state one.
    public static let standardFreshness: Duration = .seconds(300)
    /// The minimum and the maximum freshness lifetime.
    ///
    /// The minimum prevents a fetch for every request, and the maximum limits how long a revoked key is used.
    public static let freshnessRange: ClosedRange<Duration> = .seconds(5) ... .seconds(3600)

    /// The document as received.
    public let bytes: Data
    /// How long the document may be used without fetching it again.
    public let freshness: Duration

    /// Creates a document whose freshness follows from the response's `Cache-Control` values (RFC 9111 §5.2.2).
    init(_ bytes: Data, cacheControl: [String]) {
        self.bytes = bytes
        let directives = cacheControl.joined(separator: ",").lowercased().split(separator: ",")
            .map { $0.filter { !$0.isWhitespace } }
        let seconds = directives.first { $0.hasPrefix("max-age=") }.flatMap { Int64($0.dropFirst("max-age=".count)) }
        let isUncacheable = directives.contains("no-store") || directives.contains("no-cache")
        let said = isUncacheable ? .zero : seconds.map(Duration.seconds) ?? Self.standardFreshness
        freshness = min(max(said, Self.freshnessRange.lowerBound), Self.freshnessRange.upperBound)
    }
}
