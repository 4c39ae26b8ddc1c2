import Foundation
public import OAuth

/// A complete response from the API.
public struct TablesResponse: Hashable, Sendable {
    /// The status, for example 200.
    public let status: Int
    /// The response's header fields.
    public let headers: HeaderFields
    /// The body's bytes.
    public let body: [UInt8]
    /// The body if its content type is JSON and it is valid JSON, otherwise `nil`.
    public let json: JSONValue?

    /// Creates a response, for example in a filter.
    public init(status: Int = 200, headers: HeaderFields = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
        let isJSON = headers["Content-Type"]?.lowercased().contains("json") ?? false
        json = isJSON ? try? StrictJSON.parse(body, integers: .orFloating) : nil
    }

    /// Creates a response with a JSON body.
    public init(status: Int = 200, headers: HeaderFields = [:], json: JSONValue) {
        var headers = headers
        headers["Content-Type"] = "application/json"
        self.init(status: status, headers: headers, body: json.bytes)
    }

    /// The body as text, or `nil` if it is not UTF-8.
    public var text: String? { String(validating: body, as: UTF8.self) }

    var correlationID: CorrelationID? { headers["client-request-id"].flatMap { CorrelationID($0) } }

    /// The body if it is plain text that is short enough for a message, otherwise `nil`.
    var shortText: String? {
        guard headers["Content-Type"]?.lowercased().hasPrefix("text/plain") ?? false, !body.isEmpty else { return nil }
        return String(bytes: body.prefix(4 * TablesError.maxMessage), encoding: .utf8)
    }

    /// The next page's URL from the `Link` field (RFC 8288, angle brackets optional), or `nil` on the last page.
    var next: String? {
        guard let link = headers["Link"], let end = link.range(of: ";") else { return nil }
        guard link[end.upperBound...].lowercased().filter({ $0 != " " && $0 != "\"" }).hasPrefix("rel=next") else {
            return nil
        }
        return String(link[..<end.lowerBound].filter { $0 != "<" && $0 != ">" && $0 != " " })
    }
}
