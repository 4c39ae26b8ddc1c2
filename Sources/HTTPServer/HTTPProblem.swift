public import HTTPTypes

/// A refusal that a handler throws; the server's ``ErrorFormat`` makes a body of it.
public struct HTTPProblem: Error, Sendable {
    /// The status line's code.
    public let status: HTTPResponse.Status
    /// The `error` word, for example `invalid_request`.
    public let code: String
    /// One sentence for whoever wrote the client.
    public let message: String
    /// Header fields to send along.
    public let headers: HTTPFields
    /// What really happened, for the log only; may not hold a secret either.
    public let detail: String?

    /// A refusal.
    public init(
        _ status: HTTPResponse.Status,
        code: String,
        message: String,
        headers: HTTPFields = [:],
        detail: String? = nil
    ) {
        self.status = status
        self.code = code
        self.message = message
        self.headers = headers
        self.detail = detail
    }

    /// The problem that a bare status stands for.
    static func of(_ status: HTTPResponse.Status) -> HTTPProblem {
        switch status.code {
        case 404: HTTPProblem(status, code: "not_found", message: "there is nothing at this address")
        case 405: HTTPProblem(status, code: "method_not_allowed", message: "this address does not know that method")
        case 413: HTTPProblem(status, code: "too_large", message: "the request's body is too large")
        case 500...: HTTPProblem(status, code: "server_error", message: "the server failed; its log says why")
        default: HTTPProblem(status, code: "invalid_request", message: status.reasonPhrase.lowercased())
        }
    }
}
