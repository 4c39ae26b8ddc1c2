import AsyncHTTPClient
import Files
import FlowModel
import Glibc
import NIOCore
import NIOHTTP1
import OAuth
import OutgoingHTTP
import ProgramConfiguration
import Terminal

/// Sends requests with a token, within time.
///
/// No redirect is followed: what an API's answer names is not where its tokens may go.
struct APIExchange: Sendable {
    /// The time for one request with its whole answer.
    let timeout: Duration
    private let origin: WebOrigin
    private let http: HTTPClient

    /// The time in which a connection must be made.
    private static let connectTimeout: Duration = .seconds(10)
    /// The largest answer in bytes that is kept to decide about, or to be printed as JSON.
    private static let keptLimit = 8 << 20

    /// Runs `body` with an exchange with one place, which it then ends.
    static func with<Value: Sendable>(
        timeout: Duration,
        to place: Destination,
        _ body: (APIExchange) async throws -> Value
    ) async throws -> Value {
        let http = OutgoingHTTP.client(
            connect: connectTimeout,
            loopback: .known(orAtPorts: place.api.trustedLoopback)
        )
        let exchange = APIExchange(timeout: timeout, origin: place.origin, http: http)
        do {
            let value = try await body(exchange)
            try? await exchange.http.shutdown()
            return value
        } catch {
            try? await exchange.http.shutdown()
            throw error
        }
    }

    /// An answer that was read, or printed.
    struct Answer: Sendable {
        /// The status.
        let status: Int
        /// The status in words.
        let phrase: String
        /// The fields.
        let headers: [(name: String, value: String)]
        /// The body; nil if it was printed.
        let body: [UInt8]?

        /// The first field of that name.
        func header(_ name: String) -> String? {
            headers.first { $0.name.lowercased() == name.lowercased() }?.value
        }

        /// The API's demands on the next request, if it names some (RFC 6750 §3).
        var challenge: WWWAuthenticate? {
            let fields = headers.filter { $0.name.lowercased() == "www-authenticate" }
            return fields.lazy.compactMap { WWWAuthenticate($0.value) }.first
        }
    }

    /// Sends a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - token: The token that it carries.
    ///   - prints: Tells of an answer's status whether the body goes to stdout as it comes.
    /// - Returns: The answer.
    /// - Throws: A `CommandFailure` if the API cannot be reached or is too slow, or stdout cannot be written.
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
        let response = try await http.execute(outgoing, timeout: TimeAmount(timeout))
        let status = Int(response.status.code)
        var kept: [UInt8]?
        if prints(status) {
            var shown = ShownBody(isOnTerminal: Output.isTerminal)
            for try await part in response.body { try Self.print(shown.printed(part.readableBytesView)) }
            try Self.print(shown.end())
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
            let reason = String(cString: strerror(code))
            throw CommandFailure(.failed, "output_failed", Text("failure.output", ["reason": reason]))
        }
    }

    private static func failure(_ error: any Error) -> CommandFailure {
        OutgoingHTTP.isSlowness(error)
            ? CommandFailure(.unreachable, "timed_out", Text("failure.apiTooSlow"))
            : CommandFailure(.unreachable, "unreachable", Text("failure.apiUnreachable", ["reason": "\(error)"]))
    }
}
