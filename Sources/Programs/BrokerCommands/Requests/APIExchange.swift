import AsyncHTTPClient
import FlowModel
import Foundation
import NIOCore
import NIOHTTP1
import OAuth
import OutgoingHTTP
import ProgramConfiguration
import Terminal

/// Sends requests with a token to one origin and follows no redirects, so that no other URL receives the token.
struct APIExchange: Sendable {
    let timeout: Duration
    let shown: ShownFields
    private let origin: WebOrigin
    private let http: HTTPClient

    private static let connectTimeout: Duration = .seconds(10)
    /// The maximum size, in bytes, of a response that is read into memory, for example because of `--json`.
    private static let keptLimit = 8 << 20

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

    struct Answer: Sendable {
        let status: Int
        let phrase: String
        let headers: [(name: String, value: String)]
        /// The body, or `nil` if it was printed.
        let body: [UInt8]?

        func header(_ name: String) -> String? {
            headers.first { $0.name.lowercased() == name.lowercased() }?.value
        }

        /// The API's authentication challenge (RFC 6750 §3), or `nil` if the response contains no challenge.
        var challenge: WWWAuthenticate? {
            let fields = headers.filter { $0.name.lowercased() == "www-authenticate" }
            return fields.lazy.compactMap { WWWAuthenticate($0.value) }.first
        }
    }

    /// Sends a request with the token, and prints the body as it arrives if `prints` accepts the response's status.
    ///
    /// - Throws: A `CommandFailure` if the API does not respond in time or standard output cannot be written.
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
            let named = await OutgoingHTTP.failure(error, at: request.url)
            throw Self.failure(named ?? error)
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
        var response = try await http.execute(outgoing, timeout: TimeAmount(timeout))
        // A response can contain the token, which must not appear on a screen or in a log.
        let word = token.reveal()
        response.headers = HTTPHeaders(
            response.headers.map { ($0.name, $0.value.replacingOccurrences(of: word, with: "<redacted>")) }
        )
        shown.tell(response)
        let status = Int(response.status.code)
        var kept: [UInt8]?
        if prints(status) {
            if shown.onOutput { try Output.document(ShownFields.text(of: response)) }
            var bodyText = ShownBody(isOnTerminal: Output.isTerminal)
            for try await part in response.body { try Output.exactly(bodyText.printed(part.readableBytesView)) }
            try Output.exactly(bodyText.end())
        } else {
            do {
                kept = Array(try await response.body.collect(upTo: Self.keptLimit).readableBytesView)
            } catch is NIOTooManyBytesError {
                throw CommandFailure(.failed, "too_large", Text("failure.apiAnswerTooLarge", ["bytes": Self.keptLimit]))
            }
        }
        return Answer(
            status: status,
            phrase: response.status.reasonPhrase.replacingOccurrences(of: word, with: "<redacted>"),
            headers: response.headers.map { ($0.name, $0.value) },
            body: kept
        )
    }

    private static func failure(_ error: any Error) -> CommandFailure {
        OutgoingHTTP.isSlowness(error)
            ? CommandFailure(.unreachable, "timed_out", Text("failure.apiTooSlow"))
            : CommandFailure(.unreachable, "unreachable", unreachable(error))
    }

    private static func unreachable(_ error: any Error) -> Text {
        OutgoingHTTP.cause(of: error)?.text
            ?? Text("failure.apiUnreachable", ["reason": OutgoingHTTP.description(of: error)])
    }
}
