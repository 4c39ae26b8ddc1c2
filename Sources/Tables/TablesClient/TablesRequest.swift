public import OAuth
import Tables

/// A complete request without its token, which the client can repeat unchanged with another token.
public struct TablesRequest: Hashable, Sendable {
    /// The method (RFC 9110 §9).
    public enum Method: String, CaseIterable, Sendable {
        /// Reads rows or calls a custom API.
        case get = "GET"
        /// Inserts or undeletes a row, or calls a custom API.
        case post = "POST"
        /// Calls a custom API.
        case put = "PUT"
        /// Updates a row or calls a custom API.
        case patch = "PATCH"
        /// Deletes a row or calls a custom API.
        case delete = "DELETE"
    }

    /// The HTTP method.
    public var method: Method
    /// The complete URL, which must have the API's origin.
    public var url: String
    /// The header fields, except `Authorization`, which the client adds.
    public var headers: HeaderFields
    /// The body, or `nil` if the request has no body.
    public var body: [UInt8]?
    /// The correlation id, which is also in the API's log.
    public let correlationID: CorrelationID

    var origin: String {
        url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).prefix(3).joined(separator: "/")
    }

    /// Creates a request with `headers`, and with the default header fields that `headers` does not replace.
    init(
        _ method: Method,
        _ url: String,
        headers: HeaderFields = [:],
        body: [UInt8]? = nil,
        correlationID: CorrelationID
    ) {
        self.method = method
        self.url = url
        self.body = body
        self.correlationID = correlationID
        self.headers = [
            "Accept": "application/json", "ZUMO-API-VERSION": "2.0.0",
            "X-ZUMO-VERSION": "ZUMO/2.0 (lang=Swift; os=\(Self.system); version=2.0.0)",
            "client-request-id": correlationID.description,
        ]
        if body != nil { self.headers["Content-Type"] = "application/json" }
        for field in headers.fields { self.headers[field.name] = field.value }
    }

    /// The path, percent-encoded.
    public var path: String {
        let rest = url.drop { $0 != ":" }.dropFirst(3).drop { $0 != "/" }
        return String(rest.prefix { $0 != "?" })
    }

    /// The query, percent-encoded and without its question mark, or `nil` if the URL has no query.
    public var query: String? {
        url.firstIndex(of: "?").map { String(url[url.index(after: $0)...]) }
    }

    /// The body if it is JSON, otherwise `nil`.
    public var json: JSONValue? { body.flatMap { try? StrictJSON.parse($0) } }

    private static var system: String {
        #if os(Linux)
        "Linux"
        #else
        "Darwin"
        #endif
    }
}

extension TablesClient {
    /// Returns a URL query with custom parameters, or `nil` if there are no parameters.
    ///
    /// - Throws: ``TablesError/Code/invalidParameter`` for a reserved name.
    static func query(_ parameters: KeyValuePairs<String, String>) throws(TablesError) -> String? {
        var query = Query()
        for (name, value) in parameters {
            do throws(QueryProblem) {
                query = try query.parameter(name, value)
            } catch {
                throw TablesError(.invalidParameter, .parameter(error.reason))
            }
        }
        return query.urlQuery(.v2)
    }
}
