import HTTPServer
import HTTPTypes
import Hummingbird
import OAuth
import Synchronization
import Tables
import TablesStore

struct ListRequest {
    private enum Envelope {
        /// The response is an array without an envelope.
        case none
        /// The response is `{"results": …, "count": …}`, because the query contains `$inlinecount=allpages`.
        case results
        /// The response is `{"items": …, "count": …, "nextLink": …}`, as in version 3 and for `$count=true`.
        case items
    }

    let query: Query
    private let envelope: Envelope
    private let options: RequestOptions
    private let path: String
    /// Whether `nextLink` begins with the path, as a client requests with `X-ZUMO-Options: nextLink=path`.
    private let linksWithPath: Bool

    init(
        _ request: Request,
        _ options: RequestOptions,
        of table: TableDeclaration,
        dialect: Query.Dialect,
        _ parsed: ParsedQueries
    ) throws(QueryProblem) {
        self.options = options
        var limits = QueryLimits.standard
        limits.top = table.maxTop
        query = try parsed.query(request.uri.query, dialect: dialect, limits: limits)
        path = request.uri.path
        if dialect == .v3 || (query.includesTotalCount && options["$count"] != nil) {
            envelope = .items
        } else {
            envelope = query.includesTotalCount ? .results : .none
        }
        let answerOptions = HTTPField.Name("X-ZUMO-Options").flatMap { request.headers[$0] }
        linksWithPath = answerOptions?.lowercased().contains("nextlink=path") ?? false
    }

    func body(_ page: WrittenPage) -> [UInt8] {
        var body: [UInt8]
        switch envelope {
        case .none: return page.json
        case .results: body = Array("{\"results\":".utf8)
        case .items: body = Array("{\"items\":".utf8)
        }
        body.reserveCapacity(page.json.count + 128)
        body += page.json
        if let count = page.totalCount { body += Array(",\"count\":\(count)".utf8) }
        if envelope == .items, let next = next(page.count, hasMore: page.hasMore) {
            body += Array(",\"nextLink\":".utf8)
            JSONValue.append(linksWithPath ? "\(path)?\(next)" : next, to: &body)
        }
        body.append(UInt8(ascii: "}"))
        return body
    }

    /// Returns the `Link` field that points to the next page, without angle brackets (unlike RFC 8288), or none on the
    /// last page.
    func headers(_ returned: Int, hasMore: Bool, origin: String) -> HTTPFields {
        guard let name = HTTPField.Name("Link"), let next = next(returned, hasMore: hasMore) else { return [:] }
        return [name: "\(origin)\(path)?\(next); rel=next"]
    }

    /// Returns the query for the next page, or `nil` if no rows are left or `$top` rows have been returned.
    private func next(_ returned: Int, hasMore: Bool) -> String? {
        guard hasMore, returned > 0 else { return nil }
        let rest = query.top.map { $0 - returned }
        if let rest, rest <= 0 { return nil }
        let paging = (rest.map { ["$top=\($0)"] } ?? []) + ["$skip=\((query.skip ?? 0) + returned)"]
        return (paging + options.without(["$top", "$skip"])).joined(separator: "&")
    }
}

final class ParsedQueries: Sendable {
    /// The maximum number of cached queries.
    static let limit = 256
    /// The maximum length of a cached query, in bytes.
    static let maxLength = 1024

    private struct Key: Hashable {
        let text: String
        let dialect: Query.Dialect
        let top: Int
    }

    private let known = Mutex<[Key: Query]>([:])

    /// Returns the parsed query component of a URL (the part after `?`), from the cache if possible.
    func query(_ text: String?, dialect: Query.Dialect, limits: QueryLimits) throws(QueryProblem) -> Query {
        guard let text, text.utf8.count <= Self.maxLength else {
            return try Query(url: text, dialect: dialect, limits: limits)
        }
        let key = Key(text: text, dialect: dialect, top: limits.top)
        if let query = known.withLock({ $0[key] }) { return query }
        let query = try Query(url: text, dialect: dialect, limits: limits)
        known.withLock { known in
            if known.count >= Self.limit { known.removeAll() }
            known[key] = query
        }
        return query
    }
}
