public import FlowModel
import Foundation
import HTTPTypes
public import Hummingbird
public import Logging
import NIOCore
import OAuth
import Synchronization
import Systemd

/// Applies request rules, correlation ids, error bodies and common header fields to all requests and responses.
public final class HTTPPipeline: Sendable {
    /// The name of the header field that contains the correlation id in requests and responses.
    public static let correlationIDField = "client-request-id"

    private let routes: any HTTPResponder<HTTPContext>
    private let methods: RouteMethods
    private let rules: RequestRules
    private let errors: ErrorFormat
    private let crossOrigin: CrossOrigin
    private let metrics: HTTPMetrics?
    private let logger: Logger
    private let refusals: RefusalLog
    private let requests: RequestLog
    private let origin: @Sendable (Request, HTTPContext) -> Origin
    private let misdirected: @Sendable (Request, HTTPContext) -> Response?
    let ready: ReadyAnswers

    /// Creates a pipeline for the routes of `router`.
    ///
    /// `ready` returns the prepared document for a GET request. Specify it only if `crossOrigin` allows no origins,
    /// because the CORS header fields of a prepared document do not depend on the request. Several pipelines can share
    /// `requests`, which shows the result of `origin` for each request. If `misdirected` returns a response to a request
    /// with a foreign host, the response replaces the error.
    public init(
        router: Router<HTTPContext>,
        hosts: HostRule,
        errors: ErrorFormat,
        crossOrigin: CrossOrigin = CrossOrigin(origins: []),
        limits: HTTPLimits = HTTPLimits(),
        metrics: PrometheusRegistry? = nil,
        ready: @escaping @Sendable (_ target: String) -> ReadyDocument? = { _ in nil },
        requests: RequestLog? = nil,
        origin: @escaping @Sendable (Request, HTTPContext) -> Origin = { $1.origin },
        misdirected: @escaping @Sendable (Request, HTTPContext) -> Response? = { _, _ in nil },
        logger: Logger
    ) {
        routes = router.buildResponder()
        methods = RouteMethods(router.routes)
        rules = RequestRules(hosts: hosts, bodyLimit: limits.body)
        self.errors = errors
        self.crossOrigin = crossOrigin
        let counted = metrics.map(HTTPMetrics.init)
        self.metrics = counted
        self.logger = logger
        refusals = RefusalLog(logger: logger)
        let requests = requests ?? RequestLog(logger: logger)
        self.requests = requests
        self.origin = origin
        self.misdirected = misdirected
        self.ready = ReadyAnswers(
            find: ready,
            hosts: hosts,
            metrics: counted,
            requests: requests,
            origin: origin,
            logger: logger
        )
    }

    /// Returns the response to `request`, which is an error response if the handler fails.
    ///
    /// A HEAD response has no body (RFC 9110 §9.3.2). Memory for the response is reserved in `room`. `proceed` sends
    /// `100 Continue` if the client waits for it.
    public func respond(
        to request: Request,
        at address: ListenAddress,
        over ends: ConnectionEnds? = nil,
        from client: ClientConnection = ClientConnection(),
        peer: UInt32? = nil,
        isSecure: Bool = false,
        room: AnswerRoom? = nil,
        proceed: @Sendable () async throws -> Void = {}
    ) async -> Response {
        let started = ContinuousClock.now
        let correlationID = Self.correlationID(of: request)
        var logger = logger
        logger[metadataKey: "correlationId"] = "\(correlationID)"
        let context = HTTPContext(
            logger: logger,
            correlationID: correlationID,
            isLocal: address.isLoopback && !request.isForwarded,
            isOnUnixSocket: address.isUnixSocket,
            ends: ends,
            client: client,
            peer: peer,
            bodyLimit: rules.bodyLimit,
            room: room
        )
        var response = bounded(await answer(request, context, at: address, proceed), request, context)
        crossOrigin.decorate(&response, for: request)
        // HSTS applies to all ports of a host (RFC 6797 §8.2). For localhost, HSTS would therefore block all HTTP
        // services without TLS on the machine.
        decorate(&response, correlationID, pins: isSecure && !request.isForLoopback)
        if request.headers.value(.connection) == "close" { response.headers[.connection] = "close" }
        if request.method == .head { response = response.createHeadResponse() }
        let ended = ContinuousClock.now
        metrics?.record(request.method, context.endpointPath, response.status, ended - started)
        let entry = RequestLog.Entry(
            method: request.method,
            route: context.endpointPath.flatMap { $0 == Self.noRoute ? nil : $0 },
            status: response.status,
            time: ended - started,
            bytes: response.body.contentLength,
            correlationID: correlationID
        )
        requests.record(entry, at: ended) { origin(request, context).logText }
        return response
    }

    private func answer(
        _ request: Request,
        _ context: HTTPContext,
        at address: ListenAddress,
        _ proceed: @Sendable () async throws -> Void
    ) async -> Response {
        do {
            try rules.check(request, at: address)
            let text = request.uri.path
            // A canonical path needs no decoding and cannot be invalid.
            let spelled = RequestPath.isCanonical(text) ? nil : try RequestPath(text)
            if let preflight = try crossOrigin.preflight(
                request,
                methods: methods.at(try RequestPath(text, read: spelled))
            ) {
                return preflight
            }
            try crossOrigin.checkChange(request)
            let whole = try Self.request(request, spelled, body: try await body(of: request, proceed))
            let response = try await routes.respond(to: whole, context: context)
            guard response.status.code >= 400, response.body.contentLength == 0 else { return response }
            if response.status == .notFound, context.endpointPath == Self.noRoute {
                let path = try RequestPath(text, read: spelled)
                return problem(absence(of: request.method, at: path), request, context)
            }
            return problem(.of(response.status), request, context, headers: response.headers)
        } catch let problem as HTTPProblem {
            if problem.status == .misdirectedRequest, let page = misdirected(request, context) { return page }
            return self.problem(problem, request, context)
        } catch  where Task.isCancelled {
            // Requests are cancelled if a shutdown takes too long, so a cancellation is not logged as an error.
            context.logger.info("request cancelled at shutdown", metadata: ["error": "\(error)"])
            let stopped = HTTPProblem.of(.serviceUnavailable, headers: [.connection: "close", .retryAfter: "1"])
            return problem(stopped, request, context)
        } catch {
            context.logger.error("request failed", metadata: ["error": "\(error)"])
            return problem(.of(.internalServerError), request, context)
        }
    }

    /// Returns `response` if it fits into the memory budget, or an error response otherwise.
    ///
    /// If data may have changed, the connection is closed instead, because an error implies that nothing changed.
    private func bounded(_ response: Response, _ request: Request, _ context: HTTPContext) -> Response {
        guard let room = context.room, request.method != .head, let length = response.body.contentLength,
            !room.settle(length)
        else { return response }
        if request.method == .get { return problem(room.refusal(), request, context) }
        room.drop()
        return Response(status: .serviceUnavailable, headers: [.connection: "close"])
    }

    /// The path that Hummingbird reports for a request without a matching route.
    private static let noRoute = "NotFound"

    /// Returns a 405 error if other methods have a route at `path` (RFC 9110 §15.5.6), or a 404 error otherwise.
    private func absence(of method: HTTPRequest.Method, at path: RequestPath) -> HTTPProblem {
        let known = methods.at(path)
        guard !known.isEmpty else { return .of(.notFound) }
        return .of(.methodNotAllowed, headers: [.allow: known.map(\.rawValue).joined(separator: ", ")])
    }

    /// Reads the complete body of a request.
    ///
    /// - Throws: `HTTPProblem` with status 413 if the body is too long, or 400 if it is malformed or incomplete.
    private func body(
        of request: Request,
        _ proceed: @Sendable () async throws -> Void
    ) async throws(HTTPProblem) -> ByteBuffer {
        if request.method == .get, !RequestRules.hasBody(request) { return ByteBuffer() }
        do {
            if RequestRules.waitsForContinue(request) { try await proceed() }
            return try await request.body.collect(upTo: rules.bodyLimit)
        } catch is NIOTooManyBytesError {
            throw .bodyTooLong(limit: rules.bodyLimit)
        } catch {
            throw HTTPProblem(
                .badRequest,
                code: "invalid_request",
                message: "the request's body is malformed or incomplete",
                headers: [.connection: "close"],
                detail: "\(error)"
            )
        }
    }

    /// Returns the request that routes receive, which has a canonical path and the method GET instead of HEAD.
    ///
    /// `path` is `nil` if the path of `request` is already canonical.
    private static func request(
        _ request: Request,
        _ path: RequestPath?,
        body: ByteBuffer
    ) throws(HTTPProblem) -> Request {
        var head = request.head
        if path != nil || head.path?.utf8.first != UInt8(ascii: "/") {
            let path = try RequestPath(request.uri.path, read: path)
            head.path = path.description + (request.uri.query.map { "?" + $0 } ?? "")
        }
        if head.method == .head { head.method = .get }
        return Request(head: head, body: RequestBody(buffer: body))
    }

    private func problem(
        _ problem: HTTPProblem,
        _ request: Request,
        _ context: HTTPContext,
        headers: HTTPFields = [:]
    ) -> Response {
        if let detail = problem.detail {
            refusals.refused(
                "request refused",
                of: origin(request, context).logText,
                level: problem.status.kind == .serverError ? .warning : nil,
                metadata: [
                    "error": "\(problem.code)", "detail": "\(detail)", "correlationId": "\(context.correlationID)",
                ]
            )
        }
        var fields = headers
        fields[.contentLength] = nil
        fields.append(contentsOf: problem.headers)
        if fields[.contentType] == nil { fields[.contentType] = "application/json; charset=utf-8" }
        let body = errors.body(problem, correlationID: context.correlationID)
        return Response(status: problem.status, headers: fields, body: .init(byteBuffer: ByteBuffer(bytes: body)))
    }

    private func decorate(_ response: inout Response, _ correlationID: String, pins: Bool) {
        if let name = Self.correlationIDName, !response.headers.contains(name) {
            response.headers.append(HTTPField(name: name, value: correlationID))
        }
        if !response.headers.contains(.date) { response.headers.append(HTTPField(name: .date, value: HTTPDate.now)) }
        response = Self.decorated(response)
        if pins, !response.headers.contains(.strictTransportSecurity) {
            response.headers[.strictTransportSecurity] = "max-age=31536000"
        }
    }

    static func decorated(_ response: Response) -> Response {
        var response = response
        for field in everyAnswer where !response.headers.contains(field.name) { response.headers.append(field) }
        return response
    }

    static let correlationIDName = HTTPField.Name(correlationIDField)
    private static let everyAnswer: [HTTPField] = [
        (.cacheControl, "no-store"),
        (.xContentTypeOptions, "nosniff"),
        (HTTPField.Name("Referrer-Policy"), "no-referrer"),
        (.contentSecurityPolicy, "default-src 'none'; frame-ancestors 'none'"),
        (HTTPField.Name("Cross-Origin-Resource-Policy"), "same-origin"),
    ].compactMap { (name: HTTPField.Name?, value) in name.map { HTTPField(name: $0, value: value) } }

    private static func correlationID(of request: Request) -> String {
        let given = correlationIDName.flatMap { request.headers.value($0) }.flatMap(UUID.init(uuidString:))
        return given?.uuidString.lowercased() ?? newCorrelationID()
    }

    static func newCorrelationID() -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(36)
        newCorrelationIDs.withLock { $0.append(to: &bytes) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let newCorrelationIDs = Mutex(FastCorrelationIDs())
}

extension Request {
    fileprivate var isForLoopback: Bool {
        let host = head.authority.flatMap { URLComponents(string: "//" + $0)?.host }
        return host.map { Loopback.contains(host: $0) } ?? true
    }

    /// Whether the request has a header field that a proxy adds to forwarded requests (RFC 7239 or an older field).
    fileprivate var isForwarded: Bool {
        Self.forwarding.contains { headers.contains($0) }
    }

    private static let forwarding = [
        "Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP", "Via",
    ].compactMap { HTTPField.Name($0) }
}
