package import FlowModel
public import OAuth
import OutgoingHTTP
import Tables

/// A failed request to the API.
public struct TablesError: Error, Sendable, CustomStringConvertible {
    /// The kinds of error that a program handles differently.
    public enum Code: String, CaseIterable, Sendable {
        /// The request violates a rule, and nothing was written (400, and 4xx statuses without a separate case).
        case refused
        /// The API rejected the token and any renewed token (401), or a sign-in failed.
        case unauthorized
        /// The token does not grant access (403), and ``TablesError/challenge`` contains the API's requirements.
        case forbidden
        /// The row or resource does not exist (404).
        case notFound = "not_found"
        /// The row already exists, or was deleted in the meantime (409), or another sign-in is in progress.
        case conflict
        /// The server no longer stores the requested data (410).
        case gone
        /// The row no longer has the version that the request contains (412).
        case preconditionFailed = "precondition_failed"
        /// The idempotency key belongs to a different row, so nothing was written (422).
        case keyReused = "key_reused"
        /// The API cannot handle the request now, but a later attempt can succeed (429 and 503).
        case busy
        /// The API failed to handle the request (500 and above, except 503).
        case serverFailed = "server_failed"
        /// The API responded with a redirect, which the client does not follow.
        case redirected
        /// No server responded at the URL, or the connection broke.
        case unreachable
        case timedOut = "timed_out"
        /// The response does not follow the protocol.
        case malformedAnswer = "malformed_answer"
        /// The response exceeds the size limit.
        case tooLarge = "too_large"
        /// The token contains characters that cannot be sent.
        case invalidToken = "invalid_token"
        /// The request requires the row's id, but the row has no id, so nothing was sent.
        case missingID = "missing_id"
        /// The id is not valid, so nothing was sent.
        case invalidID = "invalid_id"
        /// The row contains an id that is not allowed in an insert, so nothing was sent.
        case unexpectedID = "unexpected_id"
        /// The row's member ``TablesError/column`` cannot be encoded, so nothing was sent.
        case invalidItem = "invalid_item"
        /// The name of a custom parameter is empty or begins with `$` or `__`, so nothing was sent.
        case invalidParameter = "invalid_parameter"
        /// The request cannot be encoded, or its URL does not have the API's origin, so nothing was sent.
        case invalidRequest = "invalid_request"
    }

    /// The kind of error.
    public let code: Code
    /// The localizable message from the API or from the client, without control characters.
    package let said: EnglishText
    /// The status of the response, or `nil` if there was no response.
    public internal(set) var status: Int?
    /// The column or member that violates a rule or has the wrong type, or `nil` for other errors.
    public internal(set) var column: String?
    /// The server's row from a 409 or 412 response, or `nil` if the response contains no row.
    public internal(set) var row: RemoteRow?
    /// The API's requirements for the next token, or `nil` if the API sent no requirements.
    public internal(set) var challenge: WWWAuthenticate?
    /// The time to wait before the next request, or `nil` if the API did not specify it.
    public internal(set) var retryAfter: Duration?
    /// The correlation id, which is also in the API's log.
    public internal(set) var correlationID: CorrelationID?
    /// The request without its token, or `nil` if the error occurred before the request was created.
    public internal(set) var request: TablesRequest?
    /// The response, or `nil` if there was no response.
    public internal(set) var response: TablesResponse?
    /// The underlying error, such as a connection error, or `nil` if there is none.
    public internal(set) var underlying: (any Error)?

    init(_ code: Code, _ reason: Reason, correlationID: CorrelationID? = nil, underlying: (any Error)? = nil) {
        self.init(code, reason.said, correlationID: correlationID, underlying: underlying)
    }

    init(_ code: Code, _ said: EnglishText, correlationID: CorrelationID? = nil, underlying: (any Error)? = nil) {
        self.code = code
        self.said = said
        self.correlationID = correlationID
        self.underlying = underlying
    }

    init(_ code: Code, programmer sentence: String, underlying: (any Error)? = nil) {
        self.init(code, EnglishText(exactly: sentence), underlying: underlying)
    }

    /// The API's message, or the client's own if there is none, in English and without control characters.
    public var message: String { said.english }

    /// The response's body if it is JSON, otherwise `nil`.
    public var answer: JSONValue? { response?.json }

    /// Whether the request was not sent because the server process belongs to an untrusted user.
    public var isOfUntrustedServer: Bool { underlying is UntrustedServer }

    /// The message.
    public var description: String { message }
}

extension TablesError: TextualError {}

extension TablesError {
    /// The maximum length of a message, in characters.
    static let maxMessage = 1000

    /// Creates an error from a response with a status of 300 or above.
    init(_ exchanged: Exchanged) {
        let response = exchanged.response
        let json = response.json
        let text = json?["error"]?.string ?? json?["description"]?.string ?? json?.string
        guard !Self.isForeign(response) else {
            self = exchanged.failure(.malformedAnswer, .foreignAnswer(response.status))
            return
        }
        let words = (text ?? (json == nil ? response.shortText : nil)).map(Self.printable)
        self = exchanged.completed(
            TablesError(
                Code(status: response.status),
                words.map { EnglishText($0, Text(members: json?.object ?? [:]) ?? Text(exactly: $0)) }
                    ?? Reason.answered(response.status).said
            )
        )
        column = json?["column"]?.string.map(Self.printable)
        if response.status == 409 || response.status == 412 {
            row = json.flatMap { try? RemoteRow(json: $0, entityTag: response.headers["ETag"]) }
        }
        challenge = response.headers["WWW-Authenticate"].flatMap { WWWAuthenticate($0) }
        retryAfter = response.headers["Retry-After"].flatMap { UInt32($0) }.map { .seconds(Int64($0)) }
    }

    /// Returns whether an error response comes from a server other than the API, such as a proxy.
    ///
    /// The API never sends an HTML page, or a 404 or 410 without a JSON error message. A 401 always counts as the API's
    /// response, because a request with a new token could succeed.
    private static func isForeign(_ response: TablesResponse) -> Bool {
        switch response.status {
        case 401: false
        case 404, 410: response.json?["error"]?.string == nil
        case 300..<500: OutgoingHTTP.isPage(response.body)
        default: false
        }
    }

    private static func printable(_ text: String) -> String {
        String(text.prefix(maxMessage).map { $0.unicodeScalars.contains { $0.properties.isControl } ? " " : $0 })
    }
}

extension TablesError.Code {
    init(status: Int) {
        self =
            switch status {
            case 300..<400: .redirected
            case 401: .unauthorized
            case 403: .forbidden
            case 404: .notFound
            case 409: .conflict
            case 410: .gone
            case 412: .preconditionFailed
            case 422: .keyReused
            case 429, 503: .busy
            case 500...: .serverFailed
            default: .refused
            }
    }
}

extension Unicode.Scalar.Properties {
    /// Whether a terminal could interpret the character instead of showing it.
    fileprivate var isControl: Bool {
        generalCategory == .control || generalCategory == .format || generalCategory == .lineSeparator
            || generalCategory == .paragraphSeparator
    }
}
