import OAuth
import OutgoingHTTP
import Tables

extension TablesError {
    /// Longest message in characters.
    static let maxMessage = 1000

    /// The failure that an answer of 300 and above is.
    init(_ exchanged: Exchanged) {
        let response = exchanged.response
        let json = response.json
        let text = json?["error"]?.string ?? json?["description"]?.string ?? json?.string
        guard !Self.isForeign(response) else {
            self = exchanged.failure(
                .malformedAnswer,
                "something else than the API answered \(response.status) in its place"
            )
            return
        }
        self = exchanged.failure(
            Code(status: response.status),
            (text ?? (json == nil ? response.shortText : nil)).map(Self.printable)
                ?? "the API answered \(response.status)",
            column: json?["column"]?.string.map(Self.printable)
        )
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
