public import FlowModel
public import HTTPTypes
import OAuth

/// An error that a handler throws to send an HTTP error response in the server's ``ErrorFormat``.
public struct HTTPProblem: Error, Sendable {
    /// The HTTP status of the response.
    public let status: HTTPResponse.Status
    /// The error code for programs, such as `invalid_request`.
    public let code: String
    /// The error message for the developer of the client.
    public let message: String
    /// The message in the text catalogs, or `nil` if the catalogs do not contain the message.
    public let text: Text?
    /// Additional header fields of the response.
    public var headers: HTTPFields
    /// The cause for the log, without secrets, or `nil` if the message already describes the cause.
    public let detail: String?

    /// Creates an HTTP error.
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

    /// Creates the error with the usual code and message for a status.
    public static func of(_ status: HTTPResponse.Status, headers: HTTPFields = [:]) -> HTTPProblem {
        let (code, message) =
            switch status.code {
            case 404: ("not_found", "no resource at this address")
            case 405: ("method_not_allowed", "this address does not support that method")
            case 431: ("too_large", "the request's header fields are too large")
            case 503: ("temporarily_unavailable", "the server is stopping or busy; try again")
            case 505: ("invalid_request", "this server supports only HTTP/1.1")
            case 500...: ("server_error", "the server failed; see its log")
            default: ("invalid_request", status.reasonPhrase.lowercased())
            }
        return HTTPProblem(status, code: code, message: message, headers: headers)
    }

    /// Creates the error for a request body that is longer than `limit` bytes.
    static func bodyTooLong(limit: Int) -> HTTPProblem {
        HTTPProblem(
            .contentTooLarge,
            code: "too_large",
            message: "the request's body is longer than the limit of \(limit) bytes"
        )
    }
}

/// The JSON format of the error responses that a server sends.
public struct ErrorFormat: Sendable {
    let members: @Sendable (_ problem: HTTPProblem, _ correlationID: String) -> [String: JSONValue]

    /// The format of OAuth 2.0 with `error`, `error_description` (RFC 6749 §5.2) and an additional `correlation_id`.
    public static let oauth = ErrorFormat { problem, id in
        [
            "error": .string(problem.code), "error_description": .string(problem.message),
            "correlation_id": .string(id),
        ]
    }

    /// The format of the tables API with `code` (the status), `error` (the message), `correlationId` and, if the
    /// message is in the text catalogs, `key` and `parameters`.
    public static let tables = ErrorFormat { problem, id in
        let members: [String: JSONValue] = [
            "code": .int(Int64(problem.status.code)), "error": .string(problem.message), "correlationId": .string(id),
        ]
        return members.merging(problem.text?.members ?? [:]) { first, _ in first }
    }

    /// Encodes `problem` as a JSON object in this format.
    public func body(_ problem: HTTPProblem, correlationID: String) -> [UInt8] {
        JSONValue.object(members(problem, correlationID)).bytes
    }
}
