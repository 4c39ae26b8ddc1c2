import AsyncHTTPClient
import NIOHTTP1
public import OAuth

/// A client of tables and of the tasks API over them.
///
/// Every request carries a bearer token, which goes to the API's own origin only; redirects are not followed. A request
/// that is answered 401 is sent once more as it was, with a new token. Each request has limits of its own.
public struct TablesClient: Sendable {
    /// Gives the access token for the API.
    ///
    /// `forceRefresh` is true when the one given before was refused. What it throws comes out of the request unchanged.
    public typealias TokenSource = @Sendable (_ forceRefresh: Bool) async throws -> Secret

    /// Where the API is.
    public let address: APIAddress
    private let token: TokenSource
    private let correlationID: CorrelationID?
    private let exchange: Exchange

    /// A client; whoever makes one ends it by ``close()``.
    ///
    /// - Parameters:
    ///   - address: Where the API is.
    ///   - correlationID: Sent with every request; without it each gets one of its own.
    ///   - limits: What one request may take.
    ///   - token: Gives access tokens; its time does not count against the limits.
    public init(
        _ address: APIAddress,
        correlationID: CorrelationID? = nil,
        limits: TablesClientLimits = TablesClientLimits(),
        token: @escaping TokenSource
    ) {
        self.address = address
        self.token = token
        self.correlationID = correlationID
        exchange = Exchange(http: Exchange.client(limits), limits: limits)
    }

    /// Closes its connections; no request may be made afterwards.
    public func close() async throws {
        try await exchange.http.shutdown()
    }

    /// Makes a client, and closes it when `body` has ended in whatever way.
    @discardableResult
    public static func with<Result: Sendable>(
        _ address: APIAddress,
        correlationID: CorrelationID? = nil,
        limits: TablesClientLimits = TablesClientLimits(),
        token: @escaping TokenSource,
        _ body: (TablesClient) async throws -> Result
    ) async throws -> Result {
        let client = TablesClient(address, correlationID: correlationID, limits: limits, token: token)
        do {
            let result = try await body(client)
            try await client.close()
            return result
        } catch {
            try? await client.close()
            throw error
        }
    }

    var maxPages: Int { exchange.limits.pages }

    /// Sends a request, once more after 401, and throws every answer that is not of the 200s.
    func send(
        _ method: HTTPMethod,
        _ segments: [String],
        query: String? = nil,
        headers: [(String, String)] = [],
        body: JSONValue? = nil
    ) async throws -> APIAnswer {
        let request = APIRequest(
            method: method,
            url: address.url(segments, query: query),
            headers: headers,
            body: body?.bytes,
            correlationID: correlationID ?? .random()
        )
        var answer = try await exchange.answer(to: request, token: usable(token(false), request))
        if answer.status == 401 {
            answer = try await exchange.answer(to: request, token: usable(token(true), request))
        }
        guard (200..<300).contains(answer.status) else { throw TablesError(answer) }
        return answer
    }

    /// Sends the requests of a list, page after page.
    ///
    /// - Throws: ``TablesError`` if a link leads to another resource, or on and on.
    func pages(_ segments: [String], _ page: (APIAnswer) throws -> Void) async throws {
        var query: String?
        for _ in 0..<maxPages {
            let answer = try await send(.GET, segments, query: query)
            try page(answer)
            guard let next = answer.next else { return }
            guard let onward = address.query(of: next, from: segments), onward != query else {
                let message = "the API's link to the next page leads elsewhere"
                throw TablesError(.malformedAnswer, message, correlationID: answer.correlationID)
            }
            query = onward
        }
        throw TablesError(.tooLarge, "the list has more than \(maxPages) pages", correlationID: correlationID)
    }

    /// Only what RFC 6750 §2.1 calls a token can stand in the header field.
    private func usable(_ token: Secret, _ request: APIRequest) throws(TablesError) -> Secret {
        let isToken = token.revealBytes().allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2D, 0x2E, 0x2F, 0x3D, 0x5F, 0x7E: true
            default: false
            }
        }
        guard isToken, token.count > 0 else {
            throw TablesError(.invalidToken, "the token cannot be sent", correlationID: request.correlationID)
        }
        return token
    }
}
