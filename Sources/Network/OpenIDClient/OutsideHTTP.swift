import AsyncHTTPClient
import Foundation
import Moments
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import OAuth
import OutgoingHTTP
import Synchronization

/// An HTTP client for the small JSON documents of servers outside: bounded in size and time, without redirects.
struct OutsideHTTP: Sendable {
    /// The longest answer, in bytes.
    static let maxLength = 128 * 1024

    /// An answer that is JSON.
    struct Answer: Sendable {
        let status: UInt
        let json: JSONValue?
        /// Whether it is a page for browsers, which no endpoint of these protocols answers with.
        var isPage = false
    }

    private let client: OutgoingClients
    private let clock: MomentClock

    init(connectTimeout: Duration, route: OutgoingRoute, clock: MomentClock) {
        client = OutgoingClients(connect: connectTimeout, route: route)
        self.clock = clock
    }

    func shutdown() async throws { try await client.shutdown() }

    /// Fetches a document.
    func get(
        _ url: String,
        bearer: Secret? = nil,
        for registration: ProviderRegistration
    ) async throws(ProviderError) -> Answer {
        var request = HTTPClientRequest(url: url)
        if let bearer { request.headers.add(name: "Authorization", value: "Bearer \(bearer.reveal())") }
        return try await send(request, for: registration)
    }

    /// Posts a form with our proof of who we are.
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

    /// Posts a JSON document.
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

    /// Posts a form to a page for browsers, whose answer is not read and whose way on is not followed.
    ///
    /// - Returns: The status.
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

    /// Sends a request; the caller's task is cancelled when its time is over.
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
            case 300...399: throw ProviderError(.protocolViolation, "\(place) sends elsewhere, which is not followed")
            case 429, 500...:
                let pause = RetryAfter.pause(response.headers.first(name: "Retry-After"), at: clock.now)
                throw ProviderError(
                    .unavailable,
                    "\(place) answered \(status)",
                    retryAfter: pause,
                    isOfTooMany: status == 429
                )
            default: break
            }
            let bytes = Data(buffer: try await response.body.collect(upTo: Self.maxLength))
            return Answer(status: status, json: try? StrictJSON.parse(bytes), isPage: OutgoingHTTP.isPage(bytes))
        } catch let error as ProviderError {
            throw error
        } catch is LinkLocalServer {
            throw ProviderError(.protocolViolation, "\(place) is at an address that only one link knows")
        } catch is TooManyLookUps {
            throw .notAsked("too many names are being looked up to ask \(place)")
        } catch is NIOTooManyBytesError {
            throw ProviderError(.protocolViolation, "\(place) sent more than \(Self.maxLength) bytes")
        } catch {
            throw ProviderError(.unavailable, "\(place): \(type(of: error)) \(error)")
        }
    }

    /// The host and path of an address, without a query, which may hold anything.
    private static func place(_ url: String) -> String { String(url.prefix { $0 != "?" && $0 != "#" }) }
}

/// The connections of one client, which its first request opens.
///
/// A class because those who send requests for the client share them: opened once, they are to be closed once.
final class OutsideConnections: Sendable {
    private let connectTimeout: Duration
    private let route: OutgoingRoute
    private let clock: MomentClock
    /// Nil before the first request.
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

    /// Closes the connections if they were opened; they may not be used afterwards.
    func shutdown() async throws {
        let opened = opened.withLock { $0 }
        try await opened?.shutdown()
    }
}

/// The `Retry-After` field of an answer: the pause that a server asks for (RFC 9110 §10.2.3).
enum RetryAfter {
    /// The longest pause that a server may ask for, in seconds.
    static let longest: Int64 = 600

    /// Reads the field.
    ///
    /// - Parameters:
    ///   - field: Seconds, or a date.
    ///   - now: The time.
    /// - Returns: The pause, at most ``longest``; nil if there is none, it is over, or the field is neither.
    static func pause(_ field: String?, at now: Moment) -> Duration? {
        guard let field, let seconds = delay(field) ?? date(field).map({ $0 - now.seconds }), seconds > 0 else {
            return nil
        }
        return .seconds(min(seconds, longest))
    }

    /// Reads `delay-seconds`: digits and nothing else, of whatever number.
    private static func delay(_ text: String) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(text) ?? .max
    }

    /// The date that servers send, then the two that old ones do (RFC 9110 §5.6.7).
    private static let forms = [
        "EEE, dd MMM yyyy HH:mm:ss 'GMT'", "EEEE, dd-MMM-yy HH:mm:ss 'GMT'", "EEE MMM d HH:mm:ss yyyy",
    ]

    /// The seconds since 1970 UTC of a date.
    private static func date(_ text: String) -> Int64? {
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
