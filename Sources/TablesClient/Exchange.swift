import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import OAuth

/// Sends one request once and reads its answer whole, within time and size.
struct Exchange: Sendable {
    let http: HTTPClient
    let limits: TablesClientLimits

    static func client(_ limits: TablesClientLimits) -> HTTPClient {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.timeout.connect = TimeAmount(limits.connect)
        configuration.httpVersion = .http1Only
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    func answer(to request: APIRequest, token: Secret) async throws -> APIAnswer {
        var outgoing = HTTPClientRequest(url: request.url)
        outgoing.method = request.method
        outgoing.headers = request.fields(token)
        if let body = request.body { outgoing.body = .bytes(ByteBuffer(bytes: body)) }
        do {
            return try await withThrowingTaskGroup(of: APIAnswer?.self) { [outgoing] tasks in
                tasks.addTask { try await receive(outgoing, request.correlationID) }
                tasks.addTask {
                    try await Task.sleep(for: limits.whole, clock: .continuous)
                    return nil
                }
                defer { tasks.cancelAll() }
                guard let answer = try await tasks.next() ?? nil else { throw HTTPClientError.deadlineExceeded }
                return answer
            }
        } catch let error as TablesError {
            throw error
        } catch {
            try Task.checkCancellation()
            throw failure(error, request)
        }
    }

    private func receive(_ request: HTTPClientRequest, _ correlationID: CorrelationID) async throws -> APIAnswer {
        let response = try await http.execute(request, timeout: TimeAmount(limits.whole))
        do {
            let body = try await response.body.collect(upTo: limits.answer)
            return APIAnswer(
                status: Int(response.status.code),
                headers: response.headers,
                body: Array(body.readableBytesView),
                sent: correlationID
            )
        } catch is NIOTooManyBytesError {
            let message = "the API's answer is larger than \(limits.answer) bytes"
            throw TablesError(.tooLarge, message, correlationID: correlationID)
        }
    }

    private func failure(_ error: any Error, _ request: APIRequest) -> TablesError {
        let slow: [HTTPClientError] = [
            .deadlineExceeded, .readTimeout, .writeTimeout, .connectTimeout, .tlsHandshakeTimeout,
            .getConnectionFromPoolTimeout,
        ]
        let isSlow = (error as? HTTPClientError).map(slow.contains) ?? false
        return TablesError(
            isSlow ? .timedOut : .unreachable,
            isSlow ? "the API did not answer in time" : "the API cannot be reached",
            correlationID: request.correlationID,
            underlying: error
        )
    }
}
