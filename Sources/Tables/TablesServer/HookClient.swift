import AsyncHTTPClient
import FlowModel
import Foundation
import HTTPServer
import HTTPTypes
import Metrics
import NIOCore
import NIOHTTP1
import OAuth
import OutgoingHTTP
import Synchronization
import Tables

/// Sends requests to hooks, with limits on concurrency, time and size, and without following redirects.
///
/// A hook responds in the format of an API connector. To allow the operation, it sends 200 and
/// `{"version": "1.0.0", "action": "Continue"}`, together with the columns that it changes. To reject the operation, it
/// sends 200 and `{"action": "ShowBlockPage", "userMessage": …}`, or a status from 400 to 499 and
/// `{"status": …, "userMessage": …}`. Then the server also forwards the hook's `Retry-After` to the client if the field
/// is a number of seconds. Any other response is treated as an error in the hook.
public final class HookClient: Sendable {
    /// The maximum length of a response, in bytes.
    public static let maxLength = 64 * 1024
    /// The maximum length of `userMessage`, in characters.
    public static let maxMessage = 1024

    private let client: HTTPClient
    private let deadlines: any Clock<Duration>
    private let calls = Dictionary(
        ["continued", "refused", "failed", "busy", "cancelled"].map {
            ($0, Counter(label: "tables_hook_calls", dimensions: [("result", $0)]))
        },
        uniquingKeysWith: { first, _ in first }
    )
    private let duration = Metrics.Timer(label: "tables_hook_duration")
    private let limits = Mutex<[TableHook.Address: HookConcurrencyLimit]>([:])

    /// Creates a client that has its own connections and trusts the machine's certificate authorities.
    public convenience init() {
        self.init { _ in }
    }

    init(
        deadlines: any Clock<Duration> = ContinuousClock(),
        _ change: (inout HTTPClient.Configuration) -> Void
    ) {
        self.deadlines = deadlines
        client = OutgoingHTTP.client { configuration in
            configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = HookConcurrencyLimit.limit
            change(&configuration)
        }
    }

    /// Closes the connections, after which the client cannot be used.
    public func shutdown() async throws {
        try await client.shutdown()
    }

    /// Calls a hook with the JSON body `question`, and returns the columns that the hook changes.
    ///
    /// - Throws: `HTTPProblem` with the hook's message if the hook rejects the operation, 502 if no valid response
    ///   arrives in time, 503 if too many requests are waiting for the hook.
    func ask(_ hook: TableHook, _ question: JSONValue) async throws -> [String: JSONValue] {
        let began = ContinuousClock.now
        var result = "cancelled"
        defer {
            calls[result]?.increment()
            let took = (ContinuousClock.now - began).components
            duration.recordNanoseconds(took.seconds * 1_000_000_000 + took.attoseconds / 1_000_000_000)
        }
        do {
            let changes = try await asked(hook, question)
            result = "continued"
            return changes
        } catch let problem as HTTPProblem {
            result = ["bad_gateway": "failed", "busy": "busy"][problem.code] ?? "refused"
            throw problem
        }
    }

    private func asked(_ hook: TableHook, _ question: JSONValue) async throws -> [String: JSONValue] {
        let limit = limits.withLock { all in
            let found = all[hook.address] ?? HookConcurrencyLimit()
            all[hook.address] = found
            return found
        }
        let request = try request(hook, question)
        do {
            return try await OutgoingHTTP.within(.seconds(hook.timeoutSec), by: deadlines) {
                try await limit.take()
                defer { limit.give() }
                return try await self.exchange(request, hook)
            }
        } catch let error as HTTPClientError {
            throw Self.broken(hook, "no response within \(hook.timeoutSec) s: \(error)")
        }
    }

    /// Returns a 502 error for a hook that fails or sends an invalid response, with `detail` only in the log.
    static func broken(_ hook: TableHook, _ detail: String) -> HTTPProblem {
        HTTPProblem(
            .badGateway,
            code: "bad_gateway",
            Text("tables.hookFailed"),
            detail: "hook \(hook.address): \(detail)"
        )
    }

    private func request(_ hook: TableHook, _ question: JSONValue) throws -> HTTPClientRequest {
        var request: HTTPClientRequest
        switch hook.address {
        case .web(let url): request = HTTPClientRequest(url: url)
        case .unixSocket(let path):
            guard let url = URL(httpURLWithSocketPath: path, uri: "/") else { throw Self.broken(hook, "no such path") }
            request = HTTPClientRequest(url: url.absoluteString)
            request.headers.add(name: "Host", value: "localhost")
        }
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.headers.add(name: "Accept", value: "application/json")
        request.headers.add(name: "User-Agent", value: "tasksd")
        request.body = .bytes(ByteBuffer(bytes: question.bytes))
        return request
    }

    private func exchange(_ request: HTTPClientRequest, _ hook: TableHook) async throws -> [String: JSONValue] {
        let fetched: Fetched
        do {
            fetched = try await fetch(request, .seconds(Int64(hook.timeoutSec)))
        } catch let error as CancellationError {
            throw error
        } catch {
            let failure = await OutgoingHTTP.failure(error, at: request.url)
            throw Self.broken(hook, OutgoingHTTP.description(of: failure ?? error))
        }
        guard let json = try? StrictJSON.parse(fetched.body.readableBytesView), let answer = json.object else {
            throw Self.broken(hook, "status \(fetched.status) without a JSON object")
        }
        return try Self.changes(of: answer, fetched, hook)
    }

    private struct Fetched {
        let status: Int
        /// The value of `Retry-After` in seconds, or `nil` if the hook did not send it.
        let retryAfter: UInt32?
        let body: ByteBuffer
    }

    /// Sends a request, and repeats it on another connection if the hook has closed the reused connection.
    private func fetch(_ request: HTTPClientRequest, _ timeout: TimeAmount) async throws -> Fetched {
        do {
            return try await fetchOnce(request, timeout)
        } catch let error as HTTPClientError where error == .remoteConnectionClosed {
            return try await fetchOnce(request, timeout)
        }
    }

    private func fetchOnce(_ request: HTTPClientRequest, _ timeout: TimeAmount) async throws -> Fetched {
        let response = try await client.execute(request, timeout: timeout)
        return Fetched(
            status: Int(response.status.code),
            retryAfter: response.headers.first(name: "Retry-After").flatMap { UInt32($0) },
            body: try await response.body.collect(upTo: Self.maxLength)
        )
    }

    private static func changes(
        of answer: [String: JSONValue],
        _ fetched: Fetched,
        _ hook: TableHook
    ) throws(HTTPProblem) -> [String: JSONValue] {
        let version = answer["version"] ?? "1.0.0"
        guard version == "1.0.0" else { throw broken(hook, "unsupported version") }
        switch (fetched.status, answer["action"]?.string) {
        case (200, "Continue"): return answer.filter { $0.key != "version" && $0.key != "action" }
        case (200, "ShowBlockPage"): throw try refusal(answer, 403, fetched.retryAfter, hook)
        // A hook's 401 is not forwarded to the client, because the client would then discard a valid token.
        case (400, _), (402..<500, _): throw try refusal(answer, fetched.status, fetched.retryAfter, hook)
        default: throw broken(hook, "status \(fetched.status), or an unknown action")
        }
    }

    private static func refusal(
        _ answer: [String: JSONValue],
        _ status: Int,
        _ retryAfter: UInt32?,
        _ hook: TableHook
    ) throws(HTTPProblem) -> HTTPProblem {
        guard let message = answer["userMessage"]?.string, (1...maxMessage).contains(message.count) else {
            throw broken(hook, "a refusal without a userMessage of 1 to \(maxMessage) characters")
        }
        guard answer["action"] == "ShowBlockPage" || answer["status"].map({ $0 == .int(Int64(status)) }) ?? true else {
            throw broken(hook, "the body's status differs from the response's")
        }
        var fields: HTTPFields = [:]
        fields[.retryAfter] = retryAfter.map { "\($0)" }
        return HTTPProblem(HTTPResponse.Status(code: status), code: "refused", message: message, headers: fields)
    }
}
