import AsyncHTTPClient
import Files
import FlowModel
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import OAuth
import OutgoingHTTP
import ProgramConfiguration
import Terminal

/// Sends requests with a token and a timeout.
///
/// Redirects are not followed, because tokens must not be sent to other URLs that an API returns.
struct APIExchange: Sendable {
    /// The timeout for one request and its whole response.
    let timeout: Duration
    /// The header fields to print in addition to the body.
    let shown: ShownFields
    private let origin: WebOrigin
    private let http: HTTPClient

    /// The timeout for connecting.
    private static let connectTimeout: Duration = .seconds(10)
    /// The maximum size of a response that is read into memory, in bytes.
    ///
    /// Error responses are read into memory, and so are all responses if the output is JSON.
    private static let keptLimit = 8 << 20

    /// Runs `body` with a connection to one origin, and closes it afterwards.
    static func with<Value: Sendable>(
        timeout: Duration,
        showing shown: ShownFields,
        to place: Destination,
        _ body: (APIExchange) async throws -> Value
    ) async throws -> Value {
        let http = OutgoingHTTP.client(
            connect: connectTimeout,
            loopback: .known(orAtPorts: place.api.trustedLoopback)
        )
        let exchange = APIExchange(timeout: timeout, shown: shown, origin: place.origin, http: http)
        do {
            let value = try await body(exchange)
            try? await exchange.http.shutdown()
            return value
        } catch {
            try? await exchange.http.shutdown()
            throw error
        }
    }

    /// A response that was read or printed.
    struct Answer: Sendable {
        let status: Int
        let phrase: String
        let headers: [(name: String, value: String)]
        /// The body, or `nil` if it was printed.
        let body: [UInt8]?

        /// Returns the first header field with that name, or `nil`.
        func header(_ name: String) -> String? {
            headers.first { $0.name.lowercased() == name.lowercased() }?.value
        }

        /// The API's requirements for the next request, or `nil` if the response contains none (RFC 6750 §3).
        var challenge: WWWAuthenticate? {
            let fields = headers.filter { $0.name.lowercased() == "www-authenticate" }
            return fields.lazy.compactMap { WWWAuthenticate($0.value) }.first
        }
    }

    /// Sends a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - token: The token for the `Authorization` header.
    ///   - prints: Returns whether to print the body as it arrives, for a given status.
    /// - Returns: The response.
    /// - Throws: A `CommandFailure` if the API cannot be reached or is too slow, or if standard output cannot be
    ///   written.
    func send(
        _ request: APIRequest,
        token: Secret,
        prints: @escaping @Sendable (Int) -> Bool
    ) async throws -> Answer {
        do {
            return try await OutgoingHTTP.within(timeout) { try await receive(request, token, prints) }
        } catch let failure as CommandFailure {
            throw failure
        } catch let untrusted as UntrustedServer {
            throw ListenerCheck.refusal(origin, untrusted)
        } catch {
            try Task.checkCancellation()
            throw Self.failure(error)
        }
    }

    private func receive(
        _ request: APIRequest,
        _ token: Secret,
        _ prints: @Sendable (Int) -> Bool
    ) async throws -> Answer {
        var outgoing = HTTPClientRequest(url: request.url)
        outgoing.method = HTTPMethod(rawValue: request.method)
        for field in request.headers { outgoing.headers.add(name: field.name, value: field.value) }
        outgoing.headers.replaceOrAdd(name: "Authorization", value: "Bearer \(token.reveal())")
        if let body = request.body { outgoing.body = .bytes(ByteBuffer(bytes: body)) }
        shown.tell(outgoing)
        let response = try await http.execute(outgoing, timeout: TimeAmount(timeout))
        shown.tell(response)
        let status = Int(response.status.code)
        var kept: [UInt8]?
        if prints(status) {
            if shown.onOutput { try Output.document(ShownFields.text(of: response)) }
            var bodyText = ShownBody(isOnTerminal: Output.isTerminal)
            for try await part in response.body { try Self.print(bodyText.printed(part.readableBytesView)) }
            try Self.print(bodyText.end())
        } else {
            do {
                kept = Array(try await response.body.collect(upTo: Self.keptLimit).readableBytesView)
            } catch is NIOTooManyBytesError {
                throw CommandFailure(.failed, "too_large", Text("failure.apiAnswerTooLarge", ["bytes": Self.keptLimit]))
            }
        }
        return Answer(
            status: status,
            phrase: response.status.reasonPhrase,
            headers: response.headers.map { ($0.name, $0.value) },
            body: kept
        )
    }

    private static func print(_ bytes: [UInt8]) throws(CommandFailure) {
        guard !bytes.isEmpty else { return }
        let code = StandardStreams.write(bytes, to: STDOUT_FILENO)
        guard code == 0 else {
            if code == EPIPE { StandardStreams.endByClosedPipe() }
            let reason = String(cString: strerror(code))
            throw CommandFailure(.failed, "output_failed", Text("failure.output", ["reason": reason]))
        }
    }

    private static func failure(_ error: any Error) -> CommandFailure {
        OutgoingHTTP.isSlowness(error)
            ? CommandFailure(.unreachable, "timed_out", Text("failure.apiTooSlow"))
            : CommandFailure(.unreachable, "unreachable", unreachable(error))
    }

    /// Returns the message for a failed connection.
    ///
    /// If the system reported an error, the message quotes the system's description instead of the HTTP library's.
    private static func unreachable(_ error: any Error) -> Text {
        guard let error = error as? NIOConnectionError else {
            return Text("failure.apiUnreachable", ["reason": "\(error)"])
        }
        guard let reason = error.connectionErrors.first?.error else {
            return Text("failure.apiUnknownHost", ["host": error.host])
        }
        let words = (reason as? IOError).map { String(cString: strerror($0.errnoCode)) }
        return Text("failure.apiUnreachable", ["reason": words ?? "\(reason)"])
    }
}
