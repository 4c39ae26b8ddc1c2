import HTTPTypes
public import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1
import Synchronization

/// The whole answers with ready documents, each written once for as long as its bytes stay the same.
///
/// Only the plainest requests are answered by them: a GET with nothing in it that could change the answer.
final class ReadyAnswers: Sendable {
    /// A whole answer.
    struct Answer {
        let head: HTTPResponseHead
        let body: ByteBuffer
    }

    /// An answer with everything but what each request gets of its own.
    private struct Written {
        let document: ReadyDocument
        let bytes: [UInt8]
        let head: HTTPResponseHead
        let body: ByteBuffer
    }

    /// The most targets that are remembered; a document has few spellings that clients use.
    private static let most = 256
    /// The header fields that change nothing, in lower case; proxies add some of them.
    private static let harmless: Set<String> = [
        "accept", "accept-encoding", "accept-language", "cache-control", "forwarded", "pragma", "user-agent", "via",
        "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip",
    ]

    private let find: @Sendable (_ target: String) -> ReadyDocument?
    private let hosts: HostRule
    private let metrics: HTTPMetrics?
    private let logger: Logger
    private let written = Mutex<[String: Written]>([:])

    init(
        find: @escaping @Sendable (_ target: String) -> ReadyDocument?,
        hosts: HostRule,
        metrics: HTTPMetrics?,
        logger: Logger
    ) {
        self.find = find
        self.hosts = hosts
        self.metrics = metrics
        self.logger = logger
    }

    /// Answers a request without a body that came over TCP; nil if it has to go the way of all others.
    func answer(_ request: HTTPRequestHead) -> Answer? {
        let started = ContinuousClock.now
        guard request.method == .GET, isPlain(request.headers), let written = written(request.uri) else { return nil }
        var head = written.head
        head.headers.add(name: HTTPPipeline.correlationIDField, value: HTTPPipeline.newCorrelationID())
        head.headers.add(name: "date", value: HTTPDate.now)
        metrics?.record(.get, written.document.route, .ok, ContinuousClock.now - started)
        logger.debug(
            "request answered",
            metadata: ["method": "GET", "path": "\(request.uri)", "status": "\(head.status.code)"]
        )
        return Answer(head: head, body: written.body)
    }

    /// True if the fields are one host that is answered to, and others that change nothing.
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
        // Bytes that share their storage are compared at once.
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
    /// The route's path, by which metrics count the answers.
    let route: String
    /// The bytes as they are now; nil if they have to be waited for.
    let bytes: @Sendable () -> [UInt8]?
    /// Makes the route's answer of the bytes.
    let response: @Sendable ([UInt8]) -> Response

    /// Names a document.
    ///
    /// - Parameters:
    ///   - route: The route's path, as the router has it.
    ///   - bytes: Returns the bytes; nil if there are none now, and the route itself is to answer.
    ///   - response: Makes the answer that the route itself would give.
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
