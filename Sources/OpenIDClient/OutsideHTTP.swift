import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import OAuth
import OutgoingHTTP

/// An HTTP client for the small JSON documents of servers outside: bounded in size and time, without redirects.
struct OutsideHTTP: Sendable {
    /// The longest answer, in bytes.
    static let maxLength = 128 * 1024

    /// An answer that is JSON.
    struct Answer: Sendable {
        let status: UInt
        let json: JSONValue?
    }

    private let client: OutgoingClients

    init(connectTimeout: Duration, route: OutgoingRoute) {
        client = OutgoingClients(connect: connectTimeout, route: route)
    }

    func shutdown() async throws { try await client.shutdown() }

    /// Fetches a document.
    func get(_ url: String, bearer: Secret? = nil) async throws(ProviderError) -> Answer {
        var request = HTTPClientRequest(url: url)
        if let bearer { request.headers.add(name: "Authorization", value: "Bearer \(bearer.reveal())") }
        return try await send(request)
    }

    /// Posts a form.
    func post(
        _ url: String,
        _ form: [(name: String, value: String)],
        authorization: Secret?
    ) async throws(ProviderError) -> Answer {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
        if let authorization { request.headers.add(name: "Authorization", value: authorization.reveal()) }
        request.body = .bytes(ByteBuffer(string: Form.encoded(form)))
        return try await send(request)
    }

    /// Posts a JSON document.
    func post(_ url: String, json: JSONValue, authorization: Secret?) async throws(ProviderError) -> Answer {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        if let authorization { request.headers.add(name: "Authorization", value: authorization.reveal()) }
        request.body = .bytes(ByteBuffer(bytes: json.bytes))
        return try await send(request)
    }

    /// Posts a form to a page for browsers, whose answer is not read and whose way on is not followed.
    ///
    /// - Returns: The status.
    func submit(_ url: String, _ form: [(name: String, value: String)]) async throws(ProviderError) -> UInt {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
        request.body = .bytes(ByteBuffer(string: Form.encoded(form)))
        return try await send(request, isPage: true).status
    }

    /// Sends a request; the caller's task is cancelled when its time is over.
    private func send(_ request: HTTPClientRequest, isPage: Bool = false) async throws(ProviderError) -> Answer {
        if let refusal = OutsideURL.refusal(request.url) {
            throw ProviderError(.protocolViolation, "an address \(refusal)")
        }
        var request = request
        request.headers.add(name: "Accept", value: "application/json")
        request.headers.add(name: "User-Agent", value: "tokenbroker")
        let place = Self.place(request.url)
        do {
            let response = try await client.execute(request, timeout: OpenIDClient.deadline)
            let status = response.status.code
            switch status {
            case 200...399 where isPage: return Answer(status: status, json: nil)
            case 300...399: throw ProviderError(.protocolViolation, "\(place) sends elsewhere, which is not followed")
            case 429, 500...:
                let pause = Self.pause(response.headers.first(name: "Retry-After"))
                throw ProviderError(.unavailable, "\(place) answered \(status)", retryAfter: pause)
            default: break
            }
            let bytes = Data(buffer: try await response.body.collect(upTo: Self.maxLength))
            return Answer(status: status, json: try? StrictJSON.parse(bytes))
        } catch let error as ProviderError {
            throw error
        } catch is LinkLocalServer {
            throw ProviderError(.protocolViolation, "\(place) is at an address that only one link knows")
        } catch is NIOTooManyBytesError {
            throw ProviderError(.protocolViolation, "\(place) sent more than \(Self.maxLength) bytes")
        } catch {
            throw ProviderError(.unavailable, "\(place): \(type(of: error)) \(error)")
        }
    }

    /// The longest pause that a server may ask for.
    static let longestPause = 600

    /// The pause that a server asks for in seconds (RFC 9110 §10.2.3); a date is not followed.
    private static func pause(_ field: String?) -> Duration? {
        field.flatMap(Int.init).flatMap { $0 > 0 ? .seconds(min($0, longestPause)) : nil }
    }

    /// The host and path of an address, without a query, which may hold anything.
    private static func place(_ url: String) -> String { String(url.prefix { $0 != "?" && $0 != "#" }) }
}
