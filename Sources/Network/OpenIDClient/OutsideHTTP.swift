import AsyncHTTPClient
import Foundation
import Moments
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import OAuth
import OutgoingHTTP
import Synchronization

/// An HTTP client that fetches small JSON documents from external servers and follows no redirects.
struct OutsideHTTP: Sendable {
    /// The maximum length of a response, in bytes.
    static let maxLength = 128 * 1024

    struct Answer: Sendable {
        let status: UInt
        let json: JSONValue?
        /// Whether the response is an HTML page, which usually comes from a captive portal or a proxy.
        var isPage = false
        /// The server's time in seconds since 1970 UTC (RFC 9110 §6.6.1), or `nil` if the response has none.
        var date: Int64?
    }

    private let client: OutgoingClients
    private let clock: MomentClock

    init(connectTimeout: Duration, route: OutgoingRoute, clock: MomentClock) {
        client = OutgoingClients(connect: connectTimeout, route: route)
        self.clock = clock
    }

    func shutdown() async throws { try await client.shutdown() }

    func get(
        _ url: String,
        bearer: Secret? = nil,
        for registration: ProviderRegistration
    ) async throws(ProviderError) -> Answer {
        var request = HTTPClientRequest(url: url)
        if let bearer { request.headers.add(name: "Authorization", value: "Bearer \(bearer.reveal())") }
        return try await send(request, for: registration)
    }

    func post(
        _ url: String,
        _ form: [(name: String, value: String)],
        _ proof: ClientProofAtProvider,
        for registration: ProviderRegistration
    ) async throws(ProviderError) -> Answer {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
        if let authorization = proof.authorization {
            request.headers.add(name: "Authorization", value: authorization.reveal())
        }
        request.body = .bytes(ByteBuffer(string: Form.encoded(form + proof.form)))
        return try await send(request, for: registration)
    }

    func post(
        _ url: String,
        json: JSONValue,
        authorization: Secret?,
        for registration: ProviderRegistration
    ) async throws(ProviderError) -> Answer {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        if let authorization { request.headers.add(name: "Authorization", value: authorization.reveal()) }
        request.body = .bytes(ByteBuffer(bytes: json.bytes))
        return try await send(request, for: registration)
    }

    /// Posts a form to a web page, and returns the status code without reading the response's body.
    func submit(
        _ url: String,
        _ form: [(name: String, value: String)],
        for registration: ProviderRegistration
    ) async throws(ProviderError) -> UInt {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
        request.body = .bytes(ByteBuffer(string: Form.encoded(form)))
        return try await send(request, for: registration, isPage: true).status
    }

    private func send(
        _ request: HTTPClientRequest,
        for registration: ProviderRegistration,
        isPage: Bool = false
    ) async throws(ProviderError) -> Answer {
        if let refusal = OutsideURL.refusal(request.url) {
            throw ProviderError(.protocolViolation, "an address \(refusal)")
        }
        var request = request
        request.headers.add(name: "Accept", value: "application/json")
        request.headers.add(name: "User-Agent", value: "tokenbroker")
        if let id = registration.correlationID { request.headers.add(name: "client-request-id", value: id.description) }
        let place = Self.place(request.url)
        do {
            let response = try await client.execute(
                request,
                timeout: OpenIDClient.deadline,
                for: registration.caller ?? registration.uid
            )
            let status = response.status.code
            switch status {
            case 200...399 where isPage: return Answer(status: status, json: nil)
            case 300...399: throw ProviderError(.protocolViolation, "\(place) sent a redirect, which is not followed")
            case 429, 500...:
                let pause = RetryAfter.pause(response.headers.first(name: "Retry-After"), at: clock.now)
                throw ProviderError(
                    .unavailable,
                    "\(place) responded with \(status)",
                    retryAfter: pause,
                    isOfTooMany: status == 429
                )
            default: break
            }
            let bytes = Data(buffer: try await response.body.collect(upTo: Self.maxLength))
            return Answer(
                status: status,
                json: try? StrictJSON.parse(bytes),
                isPage: OutgoingHTTP.isPage(bytes),
                date: response.headers.first(name: "Date").flatMap(HTTPTime.seconds)
            )
        } catch let error as ProviderError {
            throw error
        } catch is LinkLocalServer {
            throw ProviderError(.protocolViolation, "\(place) has a link-local address")
        } catch is TooManyLookUps {
            throw .notAsked("too many DNS lookups are running to call \(place)")
        } catch is NIOTooManyBytesError {
            throw ProviderError(.protocolViolation, "\(place) sent more than \(Self.maxLength) bytes")
        } catch {
            let detail = "\(place): \(OutgoingHTTP.description(of: error))"
            throw ProviderError(.unavailable, detail).saying(OutgoingHTTP.cause(of: error))
        }
    }

    /// Returns a URL without its query and fragment, which can contain secrets.
    private static func place(_ url: String) -> String { String(url.prefix { $0 != "?" && $0 != "#" }) }
}

/// The connections of one ``OpenIDClient``, which are opened on the first request and shared by all callers.
final class OutsideConnections: Sendable {
    private let connectTimeout: Duration
    private let route: OutgoingRoute
    private let clock: MomentClock
    private let opened = Mutex<OutsideHTTP?>(nil)

    init(connectTimeout: Duration, route: OutgoingRoute, clock: MomentClock) {
        self.connectTimeout = connectTimeout
        self.route = route
        self.clock = clock
    }

    var http: OutsideHTTP {
        opened.withLock { opened in
            if let opened { return opened }
            let made = OutsideHTTP(connectTimeout: connectTimeout, route: route, clock: clock)
            opened = made
            return made
        }
    }

    func shutdown() async throws {
        let opened = opened.withLock { $0 }
        try await opened?.shutdown()
    }
}

/// The `Retry-After` response field, with which a server requests a pause (RFC 9110 §10.2.3).
enum RetryAfter {
    /// The maximum pause, in seconds.
    static let longest: Int64 = 600

    /// Returns the requested pause, but at most ``longest``, or `nil` if the field is missing, invalid or in the past.
    static func pause(_ field: String?, at now: Moment) -> Duration? {
        guard let field, let seconds = delay(field) ?? HTTPTime.seconds(field).map({ $0 - now.seconds }), seconds > 0
        else {
            return nil
        }
        return .seconds(min(seconds, longest))
    }

    private static func delay(_ text: String) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(text) ?? .max
    }
}

/// The dates in header fields.
enum HTTPTime {
    /// The current date format, followed by the two obsolete formats (RFC 9110 §5.6.7).
    private static let forms = [
        "EEE, dd MMM yyyy HH:mm:ss 'GMT'", "EEEE, dd-MMM-yy HH:mm:ss 'GMT'", "EEE MMM d HH:mm:ss yyyy",
    ]

    /// Parses a date into seconds since 1970 UTC.
    static func seconds(_ text: String) -> Int64? {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        for form in forms {
            formatter.dateFormat = form
            if let date = formatter.date(from: text.replacing("  ", with: " ")) {
                return Int64(date.timeIntervalSince1970)
            }
        }
        return nil
    }
}
