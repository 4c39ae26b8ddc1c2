import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import OAuth
import OutgoingHTTP

/// Sends a request once and reads the whole response, within limits on time and size.
struct Exchange: Sendable {
    let http: HTTPClient
    let executor: LoopExecutor
    let limits: TablesClientLimits

    init(http: HTTPClient, limits: TablesClientLimits) {
        self.http = http
        self.limits = limits
        executor = LoopExecutor(http.eventLoopGroup.next())
    }

    func answer(to request: TablesRequest, token: Secret?) async throws -> TablesResponse {
        var outgoing = HTTPClientRequest(url: request.url)
        outgoing.method = HTTPMethod(rawValue: request.method.rawValue)
        for field in request.headers.fields { outgoing.headers.add(name: field.name, value: field.value) }
        if let token { outgoing.headers.replaceOrAdd(name: "Authorization", value: "Bearer \(token.reveal())") }
        if let body = request.body { outgoing.body = .bytes(ByteBuffer(bytes: body)) }
        do {
            return try await OutgoingHTTP.within(limits.whole, on: executor) { [outgoing] in
                try await receive(outgoing, request)
            }
        } catch let error as TablesError {
            throw error
        } catch {
            try Task.checkCancellation()
            let named = await OutgoingHTTP.failure(error, at: request.url)
            throw failure(named ?? error, request)
        }
    }

    private func receive(_ outgoing: HTTPClientRequest, _ request: TablesRequest) async throws -> TablesResponse {
        let response = try await http.execute(outgoing, timeout: TimeAmount(limits.whole))
        let headers = response.headers.reduce(into: HeaderFields()) { $0.add($1.name, $1.value) }
        let status = Int(response.status.code)
        do {
            let body = try await response.body.collect(upTo: limits.answer)
            return TablesResponse(status: status, headers: headers, body: Array(body.readableBytesView))
        } catch is NIOTooManyBytesError {
            let head = TablesResponse(status: status, headers: headers)
            let reason = TablesError.Reason.answerTooLarge(bytes: limits.answer)
            throw Exchanged(request: request, response: head).failure(.tooLarge, reason)
        }
    }

    private func failure(_ error: any Error, _ request: TablesRequest) -> TablesError {
        let isSlow = OutgoingHTTP.isSlowness(error)
        let reason: TablesError.Reason =
            if let untrusted = error as? UntrustedServer {
                .untrusted(untrusted, origin: request.origin)
            } else if let failure = error as? OutgoingFailure {
                .failed(failure)
            } else {
                isSlow ? .tooSlow : .unreachable
            }
        var failure = TablesError(
            isSlow ? .timedOut : .unreachable,
            reason,
            correlationID: request.correlationID,
            underlying: error
        )
        failure.request = request
        return failure
    }
}

/// A function that receives every request before the client sends it, and every response before the client parses it.
///
/// Filters run in the order of registration, and can change the request, respond without calling `next`, or call `next`
/// several times. Errors of a filter reach the caller unchanged. No filter sees the token, or a 401 after which the
/// client repeats the request.
public typealias RequestFilter =
    @Sendable (_ request: TablesRequest, _ next: RequestSender) async throws -> TablesResponse

/// A function that passes a request on to the next filter, or to the API.
public typealias RequestSender = @Sendable (_ request: TablesRequest) async throws -> TablesResponse

extension [RequestFilter] {
    func send(_ request: TablesRequest, _ send: @escaping RequestSender) async throws -> TablesResponse {
        let chain = reversed().reduce(send) { next, filter in
            { request in try await filter(request, next) }
        }
        return try await chain(request)
    }
}
