public import FlowModel
public import HTTPTypes
import OAuth

/// A refusal that a handler throws; the server's ``ErrorFormat`` makes a body of it.
public struct HTTPProblem: Error, Sendable {
    /// The status code.
    public let status: HTTPResponse.Status
    /// The `error` word, for example `invalid_request`.
    public let code: String
    /// One sentence for the client's developer.
    public let message: String
    /// The same sentence as the catalogs of texts have it; `nil` if they have not.
    public let text: Text?
    /// Header fields to send along.
    public var headers: HTTPFields
    /// The cause, for the log only; may not hold a secret either.
    public let detail: String?

    /// Makes a refusal.
    public init(
        _ status: HTTPResponse.Status,
        code: String,
        message: String,
        text: Text? = nil,
        headers: HTTPFields = [:],
        detail: String? = nil
    ) {
        self.status = status
        self.code = code
        self.message = message
        self.text = text
        self.headers = headers
        self.detail = detail
    }

    /// Makes the problem that a bare status stands for.
    static func of(_ status: HTTPResponse.Status, headers: HTTPFields = [:]) -> HTTPProblem {
        let (code, message) =
            switch status.code {
            case 404: ("not_found", "there is nothing at this address")
            case 405: ("method_not_allowed", "this address does not know that method")
            case 413: ("too_large", "the request's body is too large")
            case 431: ("too_large", "the request's header fields are too large")
            case 503: ("temporarily_unavailable", "the server is stopping or busy; ask again")
            case 505: ("invalid_request", "this server speaks HTTP/1.1")
            case 500...: ("server_error", "the server failed; its log says why")
            default: ("invalid_request", status.reasonPhrase.lowercased())
            }
        return HTTPProblem(status, code: code, message: message, headers: headers)
    }
}

/// The format of a server's error bodies.
public struct ErrorFormat: Sendable {
    /// Makes the members of the JSON object that answers a refusal.
    let members: @Sendable (_ problem: HTTPProblem, _ correlationID: String) -> [String: JSONValue]

    /// The format of OAuth 2.0: `error` and `error_description` (RFC 6749 §5.2), and the `correlation_id`.
    public static let oauth = ErrorFormat { problem, id in
        [
            "error": .string(problem.code), "error_description": .string(problem.message),
            "correlation_id": .string(id),
        ]
    }

    /// The format for clients of the tables: the status as `code`, the sentence as `error`, and the `correlationId`; `key` and
    /// `parameters` of a sentence that the catalogs have.
    public static let tables = ErrorFormat { problem, id in
        let members: [String: JSONValue] = [
            "code": .int(Int64(problem.status.code)), "error": .string(problem.message), "correlationId": .string(id),
        ]
        return members.merging(problem.text?.members ?? [:]) { first, _ in first }
    }

    /// Encodes the JSON object for `problem`.
    public func body(_ problem: HTTPProblem, correlationID: String) -> [UInt8] {
        JSONValue.object(members(problem, correlationID)).bytes
    }
}
