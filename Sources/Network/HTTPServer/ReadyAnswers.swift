import FlowModel
import HTTPTypes
public import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1
import Synchronization

/// Creates and caches complete responses for prepared documents.
final class ReadyAnswers: Sendable {
    struct Answer {
        let head: HTTPResponseHead
        let body: ByteBuffer
    }

    /// An encoded response without the parts that differ between requests.
    private struct Written {
        let document: ReadyDocument
        let bytes: [UInt8]
        let head: HTTPResponseHead
        let body: ByteBuffer
    }

    /// The maximum number of request targets whose responses are cached.
    private static let most = 256
    /// The lowercase names of the request header fields that do not affect the response.
    private static let harmless: Set<String> = [
        "accept", "accept-encoding", "accept-language", "cache-control", "forwarded", "pragma", "user-agent", "via",
        "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip",
    ]

    private let find: @Sendable (_ target: String) -> ReadyDocument?
    private let hosts: HostRule
    private let metrics: HTTPMetrics?
    private let requests: RequestLog
    private let origin: @Sendable (Request, HTTPContext) -> Origin
    private let logger: Logger
    private let written = Mutex<[String: Written]>([:])

    init(
        find: @escaping @Sendable (_ target: String) -> ReadyDocument?,
        hosts: HostRule,
        metrics: HTTPMetrics?,
        requests: RequestLog,
        origin: @escaping @Sendable (Request, HTTPContext) -> Origin,
        logger: Logger
    ) {
        self.find = find
        self.hosts = hosts
        self.metrics = metrics
        self.requests = requests
        self.origin = origin
        self.logger = logger
    }

    /// Returns the response to a TCP request without a body, or `nil` if the normal pipeline must process it.
    func answer(_ request: HTTPRequestHead, from client: ClientConnection) -> Answer? {
        let started = ContinuousClock.now
        guard request.method == .GET, isPlain(request.headers), let written = written(request.uri) else { return nil }
        var head = written.head
        let correlationID = HTTPPipeline.newCorrelationID()
        head.headers.add(name: HTTPPipeline.correlationIDField, value: correlationID)
        head.headers.add(name: "date", value: HTTPDate.now)
        let ended = ContinuousClock.now
        metrics?.record(.get, written.document.route, .ok, ended - started)
        let entry = RequestLog.Entry(
            method: .get,
            route: written.document.route,
            status: .ok,
            time: ended - started,
            bytes: written.bytes.count,
            correlationID: correlationID
        )
        requests.record(entry, at: ended) { origin(of: request, from: client, correlationID).logText }
        return Answer(head: head, body: written.body)
    }

    private func origin(of head: HTTPRequestHead, from client: ClientConnection, _ correlationID: String) -> Origin {
        let context = HTTPContext(
            logger: logger,
            correlationID: correlationID,
            isLocal: false,
            ends: client.ends,
            client: client
        )
        guard let request = try? HTTPRequest(head, secure: false, splitCookie: false) else { return context.origin }
        return origin(Request(head: request, body: RequestBody(buffer: ByteBuffer())), context)
    }

    private func isPlain(_ fields: HTTPHeaders) -> Bool {
        var host: String?
        for (name, value) in fields {
            switch name.lowercased() {
            case "host":
                guard host == nil else { return false }
                host = value
            case "connection": guard value.lowercased() == "keep-alive" else { return false }
            case let name: guard Self.harmless.contains(name) else { return false }
            }
        }
        return host.map { !$0.isEmpty && hosts.allows($0, onUnixSocket: false) } ?? false
    }

    private func written(_ target: String) -> Written? {
        let known = written.withLock { $0[target] }
        guard let document = known?.document ?? find(target), let bytes = document.bytes() else { return nil }
        if let known, known.bytes == bytes { return known }
        let response = HTTPPipeline.decorated(document.response(bytes))
        let new = Written(
            document: document,
            bytes: bytes,
            head: HTTPResponseHead(response.head),
            body: ByteBuffer(bytes: bytes)
        )
        written.withLock { written in
            if known != nil || written.count < Self.most { written[target] = new }
        }
        return new
    }
}

/// A document whose bytes are prepared before the first request.
public struct ReadyDocument: Sendable {
    let route: String
    let bytes: @Sendable () -> [UInt8]?
    let response: @Sendable ([UInt8]) -> Response

    /// Creates a prepared document for a registered route.
    ///
    /// If `bytes` returns `nil`, the route responds. `response` must create the same response as the route.
    public init(
        route: String,
        bytes: @escaping @Sendable () -> [UInt8]?,
        response: @escaping @Sendable ([UInt8]) -> Response
    ) {
        self.route = route
        self.bytes = bytes
        self.response = response
    }
}
