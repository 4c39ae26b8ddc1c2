import AsyncHTTPClient
public import OAuth
import OutgoingHTTP

/// A client for tables, custom APIs, and the tasks API.
///
/// The client sends a bearer token only to the API's own origin, and does not follow redirects. After a 401, it renews
/// the token, once for all waiting requests, and repeats the request once. A request stops when its task is cancelled.
public struct TablesClient: Sendable {
    /// A function that returns the API's access token, or a new one if the API rejected the last one (`forceRefresh`).
    ///
    /// Its errors reach the caller unchanged. It must not block its thread, which can be the connections' event loop.
    public typealias TokenSource = @Sendable (_ forceRefresh: Bool) async throws -> Secret

    /// The API's base URL.
    public let address: APIAddress
    /// The filters applied to every request, in the order in which they run.
    public private(set) var filters: [RequestFilter]
    let limits: TablesClientLimits
    let correlationID: CorrelationID?
    private let tokens: TokenGate?
    let exchange: Exchange
    let signIn = SharedSignIn()

    /// Creates a client, which the caller must close with ``close()``.
    ///
    /// Without a `correlationID`, each request gets a new id. If the API has an unencrypted loopback URL, the server
    /// process must belong to a trusted user, unless `trustedLoopback` contains the port. The time that `token` takes
    /// does not count against the limits. If `token` is `nil`, requests contain no token until a user signs in.
    public init(
        _ address: APIAddress,
        correlationID: CorrelationID? = nil,
        limits: TablesClientLimits = TablesClientLimits(),
        filters: [RequestFilter] = [],
        trustedLoopback: Set<UInt16> = [],
        token: TokenSource? = nil
    ) {
        self.address = address
        self.limits = limits
        self.filters = filters
        self.correlationID = correlationID
        tokens = token.map { TokenGate($0) }
        let http = OutgoingHTTP.client(connect: limits.connect, loopback: .known(orAtPorts: trustedLoopback))
        exchange = Exchange(http: http, limits: limits)
    }

    /// Returns a copy with an additional filter, which runs last, and with the same connections and tokens.
    public func filtered(by filter: @escaping RequestFilter) -> TablesClient {
        var client = self
        client.filters.append(filter)
        return client
    }

    /// Runs `body` on the event loop of the connections, which `body` must not occupy for more than a few milliseconds.
    package func nearConnections<Value>(_ body: () async throws -> Value) async throws -> Value {
        // A filter is code of the program that uses this client, so it could block the event loop.
        guard filters.isEmpty else { return try await body() }
        return try await withTaskExecutorPreference(exchange.executor, operation: body)
    }

    /// Closes the connections, after which the client cannot be used.
    public func close() async throws {
        try await exchange.http.shutdown()
    }

    /// Creates a client, passes it to `body`, and closes it when `body` returns or throws.
    @discardableResult
    nonisolated(nonsending) public static func with<Result: Sendable>(
        _ address: APIAddress,
        correlationID: CorrelationID? = nil,
        limits: TablesClientLimits = TablesClientLimits(),
        filters: [RequestFilter] = [],
        trustedLoopback: Set<UInt16> = [],
        token: TokenSource? = nil,
        _ body: (TablesClient) async throws -> Result
    ) async throws -> Result {
        let client = TablesClient(
            address,
            correlationID: correlationID,
            limits: limits,
            filters: filters,
            trustedLoopback: trustedLoopback,
            token: token
        )
        do {
            let result = try await body(client)
            try await client.close()
            return result
        } catch {
            try? await client.close()
            throw error
        }
    }

    /// Sends a request through the filters, and throws an error if the status of the response is not 2xx.
    ///
    /// After a 401, the request is repeated once if its token can be renewed.
    func send(
        _ method: TablesRequest.Method,
        _ segments: [String],
        query: String? = nil,
        headers: HeaderFields = [:],
        body: [UInt8]? = nil
    ) async throws -> Exchanged {
        let request = TablesRequest(
            method,
            address.url(segments, query: query),
            headers: headers,
            body: body,
            correlationID: correlationID ?? .random()
        )
        let response = try await filters.send(request) { try await answer(to: $0) }
        let exchanged = Exchanged(request: request, response: response)
        guard (200..<300).contains(response.status) else { throw TablesError(exchanged) }
        return exchanged
    }

    private func answer(to request: TablesRequest) async throws -> TablesResponse {
        if let problem = problem(of: request) { throw refusal(.invalidRequest, problem, request) }
        if let user = signIn.user { return try await exchange.answer(to: request, token: usable(user.token, request)) }
        let token = try await tokens?.token()
        let response = try await exchange.answer(to: request, token: usable(token, request))
        guard response.status == 401, let tokens, let token else { return response }
        // If the API requires stronger authentication, a renewed token does not help (RFC 9470 §3).
        let challenge = response.headers["WWW-Authenticate"].flatMap { WWWAuthenticate($0) }
        guard challenge?.error != .insufficientUserAuthentication else { return response }
        let new = try await tokens.token(insteadOf: token)
        return try await exchange.answer(to: request, token: usable(new, request))
    }

    private func problem(of request: TablesRequest) -> TablesError.Reason? {
        if request.url.utf8.count > limits.address { return .addressTooLong(bytes: limits.address) }
        guard request.url.utf8.allSatisfy({ 0x21...0x7E ~= $0 }), address.holds(request.url) else {
            return .foreignAddress("\(address)")
        }
        guard request.headers.areSendable else { return .unusableHeader }
        guard request.body?.count ?? 0 <= limits.request else {
            return .bodyTooLarge(bytes: limits.request)
        }
        return nil
    }

    /// Returns `token`, or throws an error if it contains characters that are not allowed in a header field.
    private func usable(_ token: Secret?, _ request: TablesRequest) throws(TablesError) -> Secret? {
        guard let token else { return nil }
        guard token.isBearerToken else { throw refusal(.invalidToken, .unusableToken, request) }
        return token
    }

    private func refusal(
        _ code: TablesError.Code,
        _ reason: TablesError.Reason,
        _ request: TablesRequest
    ) -> TablesError {
        var error = TablesError(code, reason, correlationID: request.correlationID)
        error.request = request
        return error
    }
}

/// The limits that a client applies to its requests to the API.
public struct TablesClientLimits: Hashable, Sendable {
    /// The maximum time for connecting to the server.
    public var connect: Duration = .seconds(10)
    /// The maximum time for one request, from connecting to the last byte of the response.
    public var whole: Duration = .seconds(30)
    /// The maximum size of a response, in bytes.
    public var answer = 4 * 1024 * 1024
    /// The maximum size of a request's body, in bytes.
    public var request = 4 * 1024 * 1024
    /// The maximum size of a request's URL, in bytes.
    public var address = 16 * 1024
    /// The maximum number of pages that the client requests from one list.
    public var pages = 1000

    /// Creates limits with the default values, which suit an interactive tool.
    public init() {}
}
