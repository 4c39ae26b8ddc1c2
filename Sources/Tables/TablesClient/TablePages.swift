import OAuth
import Tables

/// A list, page after page; each is asked for when the loop comes to it.
///
/// It follows the API's `Link` to the same table only, and ends with a failure after ``TablesClientLimits/pages``.
public struct TablePages<Row: Sendable>: AsyncSequence, Sendable {
    /// Reads one row of an answer.
    typealias Read = @Sendable (JSONValue) throws(TablesError) -> Row
    /// A page.
    public typealias Element = TablePage<Row>
    /// A request's, or `CancellationError`.
    public typealias Failure = any Error

    /// Most rows that servers let one request ask for; a longer list is asked for in parts.
    static var maxTop: Int { 1000 }

    let client: TablesClient
    let segments: [String]
    let query: Query
    let read: Read

    /// The rows of the pages, one after the other.
    public var rows: TableRows<Row> { TableRows(pages: self) }

    /// All rows.
    public func all() async throws -> [Row] {
        var rows: [Row] = []
        for try await page in self { rows += page.rows }
        return rows
    }

    /// The beginning of the list.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pages: self) }

    /// The page that a link leads to; the first page if there is none.
    func page(_ link: PageLink?) async throws -> TablePage<Row> {
        let number = link?.number ?? 1
        let rowsBefore = link?.rowsBefore ?? 0
        let text = link?.query ?? part(after: 0)
        let answer = try await client.send(.get, segments, query: text)
        let rows = try answer.list(read)
        let rowsSoFar = rowsBefore + rows.count
        let onward = try onward(answer, text, rowsSoFar)
        if onward != nil, number >= client.limits.pages {
            throw answer.failure(.tooLarge, .tooManyPages(client.limits.pages))
        }
        return TablePage(
            rows: rows,
            totalCount: query.includesTotalCount ? try count(answer) : nil,
            number: number,
            rowsSoFar: rowsSoFar,
            next: onward.map { PageLink(query: $0, number: number + 1, rowsBefore: rowsSoFar) }
        )
    }

    /// The query of what comes after an answer; nil at the end of the list.
    private func onward(_ answer: Exchanged, _ text: String?, _ rowsSoFar: Int) throws(TablesError) -> String? {
        if let top = query.top, rowsSoFar >= top { return nil }
        guard let link = answer.response.next else {
            guard query.top != nil, rowsSoFar > 0, rowsSoFar.isMultiple(of: Self.maxTop) else { return nil }
            return part(after: rowsSoFar)
        }
        guard let onward = client.address.query(of: link, from: segments), onward != text else {
            throw answer.failure(.malformedAnswer, .foreignLink)
        }
        return onward
    }

    /// The query with what one request may ask for of what is left.
    private func part(after rows: Int) -> String? {
        var query = query
        if rows > 0 { query.skip = (query.skip ?? 0) + rows }
        query.top = query.top.map { Swift.min($0 - rows, Self.maxTop) }
        return query.urlQuery(.v2)
    }

    private func count(_ answer: Exchanged) throws(TablesError) -> Int {
        guard let count = answer.response.json?["count"]?.int, count >= 0 else {
            throw answer.failure(.malformedAnswer, .noCount)
        }
        return Int(count)
    }

    /// The position of a loop.
    public struct AsyncIterator: AsyncIteratorProtocol {
        /// A request's, or `CancellationError`.
        public typealias Failure = any Error

        let pages: TablePages
        private var link: PageLink?
        private var isAtEnd = false

        init(pages: TablePages) {
            self.pages = pages
        }

        /// Asks for the next page; nil after the last one, and after a failure.
        public mutating func next() async throws -> TablePage<Row>? {
            guard !isAtEnd else { return nil }
            isAtEnd = true
            let page = try await pages.page(link)
            link = page.next
            isAtEnd = page.next == nil
            return page
        }
    }
}

/// The rows of a list, one after the other; pages are asked for as the loop comes to them.
public struct TableRows<Row: Sendable>: AsyncSequence, Sendable {
    /// A row.
    public typealias Element = Row
    /// A request's, or `CancellationError`.
    public typealias Failure = any Error

    let pages: TablePages<Row>

    /// The beginning of the list.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pages: pages.makeAsyncIterator()) }

    /// The position of a loop.
    public struct AsyncIterator: AsyncIteratorProtocol {
        /// A request's, or `CancellationError`.
        public typealias Failure = any Error

        var pages: TablePages<Row>.AsyncIterator
        private var rows: ArraySlice<Row> = []

        init(pages: TablePages<Row>.AsyncIterator) {
            self.pages = pages
        }

        /// The next row; nil after the last one, and after a failure.
        public mutating func next() async throws -> Row? {
            while rows.isEmpty {
                guard let page = try await pages.next() else { return nil }
                rows = page.rows[...]
            }
            return rows.removeFirst()
        }
    }
}

/// One page of a list, and how far the list has come with it.
public struct TablePage<Row: Sendable>: Sendable {
    /// Its rows.
    public let rows: [Row]
    /// The number of rows of the whole list; nil unless the query asked for it.
    public let totalCount: Int?
    /// The number of the page, from 1.
    public let number: Int
    /// Rows of this page and of all before it.
    public let rowsSoFar: Int
    /// The link to the next page; nil on the last one.
    public let next: PageLink?
}

extension TablePage: Equatable where Row: Equatable {}

/// A link to the next page of a list; it leads to the same table of the same API, whatever the API answered.
public struct PageLink: Hashable, Sendable {
    let query: String
    let number: Int
    let rowsBefore: Int
}
