public import OAuth
import Tables

/// One request, whole, so that it can be sent again as it was; the token is no part of it.
public struct TablesRequest: Hashable, Sendable {
    /// The method (RFC 9110 §9).
    public enum Method: String, CaseIterable, Sendable {
        /// Reads.
        case get = "GET"
        /// Adds, undeletes, or asks a custom API.
        case post = "POST"
        /// Asks a custom API.
        case put = "PUT"
        /// Changes.
        case patch = "PATCH"
        /// Deletes.
        case delete = "DELETE"
    }

    /// The method.
    public var method: Method
    /// The whole address; one that is not of the client's own origin is not sent.
    public var url: String
    /// The fields that are sent beside `Authorization`, which the client adds by itself.
    public var headers: HeaderFields
    /// The body.
    public var body: [UInt8]?
    /// The correlation id, which the API's log has, too.
    public let correlationID: CorrelationID

    /// The origin of the address: scheme, host and port.
    var origin: String {
        url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).prefix(3).joined(separator: "/")
    }

    /// A request with the fields that every request has; `headers` replace those of the same name.
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

    /// The path, percent-encoded as it is sent.
    public var path: String {
        let rest = url.drop { $0 != ":" }.dropFirst(3).drop { $0 != "/" }
        return String(rest.prefix { $0 != "?" })
    }

    /// The query, percent-encoded as it is sent, without its question mark.
    public var query: String? {
        url.firstIndex(of: "?").map { String(url[url.index(after: $0)...]) }
    }

    /// The body, if it is JSON.
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
    /// The query of a request that is no list: the parameters of one's own.
    ///
    /// - Throws: ``TablesError/Code/invalidParameter`` for a name that the protocol keeps for itself.
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
