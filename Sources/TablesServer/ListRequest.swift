import HTTPServer
import Hummingbird
import OAuth
import Tables
import TablesStore

/// What a list asks for, and how its answer is wrapped.
struct ListRequest {
    /// What stands around the rows.
    private enum Envelope {
        /// Nothing: the answer is an array.
        case none
        /// `{"results", "count"}`, for `$inlinecount=allpages`.
        case results
        /// `{"items", "count", "nextLink"}`, for `$count=true`.
        case items
    }

    /// What is wanted.
    let query: Query
    private let envelope: Envelope
    private let options: RequestOptions
    private let path: String

    /// Reads the options of a list.
    ///
    /// - Throws: `QueryProblem` that names what is wrong.
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
        envelope = !query.includesTotalCount ? .none : options["$count"] == nil ? .results : .items
    }

    /// The answer's body.
    func body(_ page: WrittenPage) -> [UInt8] {
        guard envelope != .none else { return page.json }
        var body = Array((envelope == .items ? "{\"items\":" : "{\"results\":").utf8)
        body.reserveCapacity(page.json.count + 128)
        body += page.json
        body += Array(",\"count\":\(page.totalCount ?? 0)".utf8)
        if envelope == .items, let next = next(page.count, hasMore: page.hasMore) {
            body += Array(",\"nextLink\":".utf8)
            JSONValue.append(next, to: &body)
        }
        body.append(UInt8(ascii: "}"))
        return body
    }

    /// What `Link` says: where the rest is, without the angle brackets of RFC 8288, as clients of the protocol read it.
    func link(_ returned: Int, hasMore: Bool, origin: String) -> String? {
        next(returned, hasMore: hasMore).map { "\(origin)\(path)?\($0); rel=next" }
    }

    /// The parameters of the next page, if this one is full and more is there and wanted.
    private func next(_ returned: Int, hasMore: Bool) -> String? {
        guard hasMore, returned > 0 else { return nil }
        let rest = query.top.map { $0 - returned }
        if let rest, rest <= 0 { return nil }
        let paging = (rest.map { ["$top=\($0)"] } ?? []) + ["$skip=\((query.skip ?? 0) + returned)"]
        return (paging + options.without(["$top", "$skip"])).joined(separator: "&")
    }
}
