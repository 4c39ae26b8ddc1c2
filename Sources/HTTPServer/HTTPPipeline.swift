import Foundation
import HTTPTypes
public import Hummingbird
public import Logging
import NIOCore

/// What happens to every request around its route: the name it asks for, its correlation id, its size, what goes wrong,
/// and the header fields that every answer carries.
public struct HTTPPipeline: Sendable {
    /// The header field that carries the correlation id in and out.
    public static let correlationIDField = "client-request-id"

    private let routes: any HTTPResponder<HTTPContext>
    private let hosts: HostRule
    private let errors: ErrorFormat
    private let crossOrigin: CrossOrigin
    private let bodyLimit: Int
    private let metrics: HTTPMetrics?
    private let logger: Logger

    /// A pipeline around `router`.
    ///
    /// - Parameters:
    ///   - router: The routes.
    ///   - hosts: The names that are answered to.
    ///   - errors: How refusals are worded.
    ///   - crossOrigin: Which web pages of other origins may call; none, if left out.
    ///   - limits: Limits of a request.
    ///   - metrics: Where requests are counted.
    ///   - logger: Logs what fails.
    public init(
        router: Router<HTTPContext>,
        hosts: HostRule,
        errors: ErrorFormat,
        crossOrigin: CrossOrigin = CrossOrigin(origins: []),
        limits: HTTPLimits = HTTPLimits(),
        metrics: PrometheusRegistry? = nil,
        logger: Logger
    ) {
        routes = router.buildResponder()
        self.hosts = hosts
        self.errors = errors
        self.crossOrigin = crossOrigin
        bodyLimit = limits.body
        self.metrics = metrics.map(HTTPMetrics.init)
        self.logger = logger
    }

    /// Answers `request`, whatever happens.
    ///
    /// - Parameters:
    ///   - request: The request as it arrived.
    ///   - address: The listener it arrived at.
    ///   - isSecure: Whether it came over TLS.
    /// - Returns: The whole response.
    public func respond(
        to request: Request,
        at address: ListenAddress,
        isSecure: Bool = false
    ) async -> Response {
        let started = ContinuousClock.now
        let correlationID = Self.correlationID(of: request)
        var logger = logger
        logger[metadataKey: "correlationId"] = "\(correlationID)"
        let context = HTTPContext(
            source: .init(
                logger: logger,
                correlationID: correlationID,
                isLocal: address.isLoopback && !request.isForwarded,
                bodyLimit: bodyLimit
            )
        )
        var response = await answer(request, context, at: address)
        crossOrigin.decorate(&response, for: request)
        decorate(&response, correlationID, isSecure)
        metrics?.record(request.method, context.endpointPath, response.status, ContinuousClock.now - started)
        logger.debug(
            "request answered",
            metadata: [
                "method": "\(request.method)", "path": "\(request.uri.path)", "status": "\(response.status.code)",
            ]
        )
        return response
    }

    private func answer(_ request: Request, _ context: HTTPContext, at address: ListenAddress) async -> Response {
        var request = request
        do {
            try checkHost(of: request, at: address)
            if let preflight = try crossOrigin.preflight(request) { return preflight }
            if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > bodyLimit {
                throw HTTPProblem.of(.contentTooLarge)
            }
            _ = try await request.collectBody(upTo: bodyLimit)
            let response = try await routes.respond(to: request, context: context)
            guard response.status.code >= 400, response.body.contentLength == 0 else { return response }
            return problem(.of(response.status), context, headers: response.headers)
        } catch let problem as HTTPProblem {
            return self.problem(problem, context)
        } catch is NIOTooManyBytesError {
            return problem(.of(.contentTooLarge), context)
        } catch {
            context.logger.error("request failed", metadata: ["error": "\(error)"])
            return problem(.of(.internalServerError), context)
        }
    }

    private func checkHost(of request: Request, at address: ListenAddress) throws(HTTPProblem) {
        guard let host = request.head.authority, !host.isEmpty else {
            throw HTTPProblem(.badRequest, code: "invalid_request", message: "the request names no host")
        }
        var onUnixSocket = false
        if case .unix = address { onUnixSocket = true }
        guard hosts.allows(host, onUnixSocket: onUnixSocket) else {
            let message = "this server does not answer to that host"
            throw HTTPProblem(.misdirectedRequest, code: "invalid_request", message: message, detail: host)
        }
    }

    private func problem(_ problem: HTTPProblem, _ context: HTTPContext, headers: HTTPFields = [:]) -> Response {
        if let detail = problem.detail {
            context.logger.info("request refused", metadata: ["error": "\(problem.code)", "detail": "\(detail)"])
        }
        var fields = headers
        fields[.contentLength] = nil
        fields.append(contentsOf: problem.headers)
        if fields[.contentType] == nil { fields[.contentType] = "application/json; charset=utf-8" }
        let body = errors.body(problem, correlationID: context.correlationID)
        return Response(status: problem.status, headers: fields, body: .init(byteBuffer: ByteBuffer(bytes: body)))
    }

    private func decorate(_ response: inout Response, _ correlationID: String, _ isSecure: Bool) {
        func set(_ field: HTTPField.Name?, _ value: String) {
            guard let field, !response.headers.contains(field) else { return }
            response.headers[field] = value
        }
        set(Self.correlationIDName, correlationID)
        set(.date, HTTPDate.now)
        for (field, value) in Self.everyAnswer { set(field, value) }
        if isSecure { set(.strictTransportSecurity, "max-age=31536000") }
    }

    private static let correlationIDName = HTTPField.Name(correlationIDField)
    private static let everyAnswer: [(HTTPField.Name?, String)] = [
        (.cacheControl, "no-store"),
        (.xContentTypeOptions, "nosniff"),
        (HTTPField.Name("Referrer-Policy"), "no-referrer"),
        (.contentSecurityPolicy, "default-src 'none'; frame-ancestors 'none'"),
        (HTTPField.Name("Cross-Origin-Resource-Policy"), "same-origin"),
    ]

    private static func correlationID(of request: Request) -> String {
        let given = correlationIDName.flatMap { request.headers[$0] }.flatMap(UUID.init(uuidString:))
        if let given { return given.uuidString.lowercased() }
        var generator = SystemRandomNumberGenerator()
        return UUID.random(using: &generator).uuidString.lowercased()
    }
}

extension Request {
    /// Whether a proxy sent it on (RFC 7239, and what was usual before).
    fileprivate var isForwarded: Bool {
        Self.forwarding.contains { headers[$0] != nil }
    }

    private static let forwarding = ["Forwarded", "X-Forwarded-For", "Via"].compactMap { HTTPField.Name($0) }
}
