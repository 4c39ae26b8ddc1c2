import Foundation
import NIOHTTP1
import OAuth

/// One answer, whole and within its limit.
struct APIAnswer: Sendable {
    let status: Int
    let headers: HTTPHeaders
    let body: [UInt8]
    let correlationID: CorrelationID
    /// The body, if it says it is JSON and is.
    let json: JSONValue?

    init(status: Int, headers: HTTPHeaders, body: [UInt8], sent: CorrelationID) {
        self.status = status
        self.headers = headers
        self.body = body
        correlationID = headers.first(name: "client-request-id").flatMap { CorrelationID($0) } ?? sent
        let isJSON = headers.first(name: "Content-Type")?.lowercased().contains("json") ?? false
        json = isJSON ? try? StrictJSON.parse(body) : nil
    }

    /// A header field.
    func header(_ name: String) -> String? { headers.first(name: name) }

    /// A body of plain text that is short enough to be a message.
    var shortText: String? {
        guard header("Content-Type")?.lowercased().hasPrefix("text/plain") ?? false, !body.isEmpty else { return nil }
        return String(bytes: body.prefix(4 * TablesError.maxMessage), encoding: .utf8)
    }

    /// Where the next page is (RFC 8288), with or without the angle brackets.
    var next: String? {
        guard let link = header("Link"), let end = link.range(of: ";") else { return nil }
        guard link[end.upperBound...].lowercased().filter({ $0 != " " && $0 != "\"" }).hasPrefix("rel=next") else {
            return nil
        }
        return String(link[..<end.lowerBound].filter { $0 != "<" && $0 != ">" && $0 != " " })
    }

    /// What `read` makes of the body's JSON; a failure carries the answer's correlation id.
    func read<Value>(_ read: (JSONValue) throws(TablesError) -> Value) throws(TablesError) -> Value {
        do throws(TablesError) {
            guard let json else { throw TablesError(.malformedAnswer, "the API's answer is not JSON") }
            return try read(json)
        } catch {
            var error = error
            error.correlationID = correlationID
            error.status = status
            throw error
        }
    }

    /// The row that the body is.
    func row() throws(TablesError) -> RemoteRow {
        try read { json throws(TablesError) in try RemoteRow(json: json, entityTag: header("ETag")) }
    }

    /// The list that the body is, or holds as `results`.
    func list<Item>(_ item: (JSONValue) throws(TablesError) -> Item) throws(TablesError) -> [Item] {
        try read { json throws(TablesError) in
            guard let list = json.array ?? json["results"]?.array else {
                throw TablesError(.malformedAnswer, "the API's answer is not a list")
            }
            return try list.map(item)
        }
    }
}
