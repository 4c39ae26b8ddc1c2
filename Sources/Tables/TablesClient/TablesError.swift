package import FlowModel
public import OAuth
import OutgoingHTTP
import Tables

/// The failure of a request to the API.
public struct TablesError: Error, Sendable, CustomStringConvertible {
    /// The kinds of failure that a program handles differently.
    public enum Code: String, CaseIterable, Sendable {
        /// 400 and the like: what was sent breaks a rule, and nothing was written.
        case refused
        /// 401, with a fresh token too.
        case unauthorized
        /// 403: the token does not reach that far; ``TablesError/challenge`` says what is missing.
        case forbidden
        /// 404.
        case notFound = "not_found"
        /// 409: the row is there already, or was deleted meanwhile.
        case conflict
        /// 410: what was asked for is no longer kept.
        case gone
        /// 412: the row has changed since the version that was named.
        case preconditionFailed = "precondition_failed"
        /// 422: the key of an insert stands for another row; nothing was written.
        case keyReused = "key_reused"
        /// 429 and 503: later it may be done.
        case busy
        /// Any other answer of 500 and above.
        case serverFailed = "server_failed"
        /// The API sends clients elsewhere; tokens are not taken there.
        case redirected
        /// Nobody answered at the address, or the connection broke.
        case unreachable
        /// The answer did not come in time.
        case timedOut = "timed_out"
        /// The answer is not what this protocol answers.
        case malformedAnswer = "malformed_answer"
        /// The answer is larger than the limit.
        case tooLarge = "too_large"
        /// The token that was given cannot be sent.
        case invalidToken = "invalid_token"
        /// The row has no id, and what was asked for needs one; nothing was sent.
        case missingID = "missing_id"
        /// The id breaks the rule of ids; nothing was sent.
        case invalidID = "invalid_id"
        /// An insert may not name an id in this way; nothing was sent.
        case unexpectedID = "unexpected_id"
        /// The row cannot be written as JSON that a table takes; ``TablesError/column`` says where. Nothing was sent.
        case invalidItem = "invalid_item"
        /// The name of a parameter of one's own is empty or begins with `$` or `__`; nothing was sent.
        case invalidParameter = "invalid_parameter"
        /// The request cannot be written, or leads away from the API's own address; nothing was sent.
        case invalidRequest = "invalid_request"
    }

    /// The kind of failure.
    public let code: Code
    /// One sentence, the API's own where it gave one: in English, without control characters, and as a text.
    package let said: EnglishText
    /// The status of the answer, if there was one.
    public internal(set) var status: Int?
    /// The column or member that broke a rule, or does not fit.
    public internal(set) var column: String?
    /// The row as the server has it, where the answer shows it (409 and 412).
    public internal(set) var row: RemoteRow?
    /// The API's demands on the next token.
    public internal(set) var challenge: WWWAuthenticate?
    /// Time that the API wants to be left alone.
    public internal(set) var retryAfter: Duration?
    /// The correlation id, which the API's log has, too.
    public internal(set) var correlationID: CorrelationID?
    /// The request, without its token; nil where none was made.
    public internal(set) var request: TablesRequest?
    /// The answer, if there was one.
    public internal(set) var response: TablesResponse?
    /// The error below, such as one of the connection.
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

    /// A failure that is said to a programmer.
    init(_ code: Code, programmer sentence: String, underlying: (any Error)? = nil) {
        self.init(code, EnglishText(exactly: sentence), underlying: underlying)
    }

    /// One sentence, the API's own where it gave one; it has no control characters.
    public var message: String { said.english }

    /// The whole answer, where it was JSON.
    public var answer: JSONValue? { response?.json }

    /// Whether nothing was sent, since the server at the address runs as a user who is not trusted.
    public var isOfUntrustedServer: Bool { underlying is UntrustedServer }

    /// The sentence.
    public var description: String { message }
}

extension TablesError: TextualError {}

extension TablesError {
    /// Longest message in characters.
    static let maxMessage = 1000

    /// The failure that an answer of 300 and above is.
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

    /// Whether a refusal cannot be the API's: it says with an `error` in JSON that a row is not there, and answers no
    /// refusal with a page for browsers.
    ///
    /// A proxy or gateway without a route to the API answers 404, too, and says nothing about a row by that. A 401 counts as
    /// the API's, since the next token may help.
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
    /// True if a terminal might obey it instead of showing it.
    fileprivate var isControl: Bool {
        generalCategory == .control || generalCategory == .format || generalCategory == .lineSeparator
            || generalCategory == .paragraphSeparator
    }
}
