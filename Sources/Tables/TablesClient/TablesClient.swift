import AsyncHTTPClient
public import OAuth
import OutgoingHTTP

/// A client of tables, of custom APIs, and of the tasks API over the tables.
///
/// Every request carries a bearer token, which goes to the API's own origin only; redirects are not followed. A request
/// that is answered 401 is sent once more as it was, with a new token that is asked for once, however many requests wait
/// for it. Each request has limits of its own, and ends when its task is cancelled.
public struct TablesClient: Sendable {
    /// Gives the access token for the API.
    ///
    /// `forceRefresh` is true when the one given before was refused. What it throws comes out of the request unchanged.
    /// It may run on the thread of the connections, and waits for nothing but by `await`.
    public typealias TokenSource = @Sendable (_ forceRefresh: Bool) async throws -> Secret

    /// The address of the API.
    public let address: APIAddress
    /// The filters of every request, the first one first.
    public private(set) var filters: [RequestFilter]
    let limits: TablesClientLimits
    let correlationID: CorrelationID?
    private let tokens: TokenGate?
    let exchange: Exchange
    let signIn = SharedSignIn()

    /// A client; whoever makes one ends it by ``close()``.
    ///
    /// - Parameters:
    ///   - address: The base URL of the API.
    ///   - correlationID: Sent with every request; without it each gets one of its own.
    ///   - limits: The limits of one request.
    ///   - filters: The filters that every request passes, the first one first.
    ///   - trustedLoopback: The ports of this machine that may be reached over http, whatever listens there; at any other
    ///     the server must be trusted.
    ///   - token: Gives access tokens; its time does not count against the limits. Without it requests go without one.
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

    /// This client with one more filter, which runs behind those it has; they share connections and tokens.
    public func filtered(by filter: @escaping RequestFilter) -> TablesClient {
        var client = self
        client.filters.append(filter)
        return client
    }

    /// Runs many requests, one after the other, on the thread of the connections, so that it is not changed between them.
    ///
    /// Between two requests `body` may compute for a few milliseconds, and waits for nothing but by `await`.
    package func nearConnections<Value>(_ body: () async throws -> Value) async throws -> Value {
        // A filter is the program's own code, and may hold its thread up.
        guard filters.isEmpty else { return try await body() }
        return try await withTaskExecutorPreference(exchange.executor, operation: body)
    }

    /// Closes its connections; no request may be made afterwards.
    public func close() async throws {
        try await exchange.http.shutdown()
    }

    /// Makes a client, and closes it when `body` has ended in whatever way.
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

    /// Sends a request through the filters, once more after 401, and throws every answer that is not of the 200s.
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
        // A newer token proves no more of its person than the one that was sent (RFC 9470 §3).
        let challenge = response.headers["WWW-Authenticate"].flatMap { WWWAuthenticate($0) }
        guard challenge?.error != .insufficientUserAuthentication else { return response }
        let new = try await tokens.token(insteadOf: token)
        return try await exchange.answer(to: request, token: usable(new, request))
    }

    /// The reason not to send a request; nil if it can be sent.
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

    /// The token, if it can stand in the header field.
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

/// The limits of one exchange with the API.
public struct TablesClientLimits: Hashable, Sendable {
    /// Time for a connection to be made.
    public var connect: Duration = .seconds(10)
    /// Time for one request and its answer, from the first byte to the last.
    public var whole: Duration = .seconds(30)
    /// Bytes of one answer.
    public var answer = 4 * 1024 * 1024
    /// Bytes of one request's body.
    public var request = 4 * 1024 * 1024
    /// Bytes of one request's address.
    public var address = 16 * 1024
    /// Pages of one list.
    public var pages = 1000

    /// The limits of a person's tool.
    public init() {}
}
