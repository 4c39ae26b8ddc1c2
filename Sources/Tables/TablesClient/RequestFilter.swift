/// Stands between the client and the API: sees every request before it is sent, and every answer before it is read.
///
/// The filter that was registered first runs first. It may change the request, leave `next` out and answer by itself, or
/// call `next` again. What it throws comes out of the call unchanged. Tokens are added behind the last filter, so
/// that no filter sees one; a 401 that it sees has been tried with a new token already.
public typealias RequestFilter =
    @Sendable (_ request: TablesRequest, _ next: RequestSender) async throws -> TablesResponse

/// Sends a request onward: to the next filter, or to the API.
public typealias RequestSender = @Sendable (_ request: TablesRequest) async throws -> TablesResponse

extension [RequestFilter] {
    /// Sends a request through the filters, the first one first, and in the end by `send`.
    func send(_ request: TablesRequest, _ send: @escaping RequestSender) async throws -> TablesResponse {
        let chain = reversed().reduce(send) { next, filter in
            { request in try await filter(request, next) }
        }
        return try await chain(request)
    }
}
