import Foundation
public import OAuth

/// One answer, whole and within its limit.
public struct TablesResponse: Hashable, Sendable {
    /// The status, 200 for example.
    public let status: Int
    /// The header fields.
    public let headers: HeaderFields
    /// The body, whatever it is.
    public let body: [UInt8]
    /// The body, if it says it is JSON and is.
    public let json: JSONValue?

    /// An answer, of a server or of a filter in its place.
    public init(status: Int = 200, headers: HeaderFields = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
        let isJSON = headers["Content-Type"]?.lowercased().contains("json") ?? false
        json = isJSON ? try? StrictJSON.parse(body, integers: .orFloating) : nil
    }

    /// An answer of JSON.
    public init(status: Int = 200, headers: HeaderFields = [:], json: JSONValue) {
        var headers = headers
        headers["Content-Type"] = "application/json"
        self.init(status: status, headers: headers, body: json.bytes)
    }

    /// The body as text; nil if it is not UTF-8.
    public var text: String? { String(validating: body, as: UTF8.self) }

    /// The correlation id, which the API's log has, too.
    var correlationID: CorrelationID? { headers["client-request-id"].flatMap { CorrelationID($0) } }

    /// A body of plain text that is short enough to be a message.
    var shortText: String? {
        guard headers["Content-Type"]?.lowercased().hasPrefix("text/plain") ?? false, !body.isEmpty else { return nil }
        return String(bytes: body.prefix(4 * TablesError.maxMessage), encoding: .utf8)
    }

    /// The address of the next page (RFC 8288), with or without the angle brackets.
    var next: String? {
        guard let link = headers["Link"], let end = link.range(of: ";") else { return nil }
        guard link[end.upperBound...].lowercased().filter({ $0 != " " && $0 != "\"" }).hasPrefix("rel=next") else {
            return nil
        }
        return String(link[..<end.lowerBound].filter { $0 != "<" && $0 != ">" && $0 != " " })
    }
}
