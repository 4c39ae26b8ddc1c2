import OAuth
import Tables

/// A sequence of the pages of a list, each requested when the iteration reaches it.
///
/// The sequence throws an error if a `Link` field leads to another list, or after ``TablesClientLimits/pages`` pages.
public struct TablePages<Row: Sendable>: AsyncSequence, Sendable {
    typealias Read = @Sendable (JSONValue) throws(TablesError) -> Row
    /// One page of the list.
    public typealias Element = TablePage<Row>
    /// The error from a failed request, or `CancellationError`.
    public typealias Failure = any Error

    /// The maximum number of rows that a server returns for one request.
    static var maxTop: Int { 1000 }

    let client: TablesClient
    let segments: [String]
    let query: Query
    let read: Read

    /// The rows of all pages.
    public var rows: TableRows<Row> { TableRows(pages: self) }

    /// Requests all rows.
    public func all() async throws -> [Row] {
        var rows: [Row] = []
        for try await page in self { rows += page.rows }
        return rows
    }

    /// Returns an iterator that starts at the first page.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pages: self) }

    /// Requests the page that `link` leads to, or the first page if `link` is `nil`.
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

    /// Returns the query for the next page, or `nil` at the end of the list.
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

    /// Returns the URL query for the page that follows the first `rows` rows.
    ///
    /// If the query limits the number of rows, the page has at most ``maxTop`` of the remaining rows.
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

    /// An iterator over the pages.
    public struct AsyncIterator: AsyncIteratorProtocol {
        /// The error from a failed request, or `CancellationError`.
        public typealias Failure = any Error

        let pages: TablePages
        private var link: PageLink?
        private var isAtEnd = false

        init(pages: TablePages) {
            self.pages = pages
        }

        /// Requests the next page, or returns `nil` after the last page and after an error.
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

/// A sequence of the rows of a list, whose pages are requested when the iteration reaches them.
public struct TableRows<Row: Sendable>: AsyncSequence, Sendable {
    /// A row of the list.
    public typealias Element = Row
    /// The error from a failed request, or `CancellationError`.
    public typealias Failure = any Error

    let pages: TablePages<Row>

    /// Returns an iterator that starts at the first row.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pages: pages.makeAsyncIterator()) }

    /// An iterator over the rows.
    public struct AsyncIterator: AsyncIteratorProtocol {
        /// The error from a failed request, or `CancellationError`.
        public typealias Failure = any Error

        var pages: TablePages<Row>.AsyncIterator
        private var rows: ArraySlice<Row> = []

        init(pages: TablePages<Row>.AsyncIterator) {
            self.pages = pages
        }

        /// Returns the next row, or `nil` after the last row and after an error.
        public mutating func next() async throws -> Row? {
            while rows.isEmpty {
                guard let page = try await pages.next() else { return nil }
                rows = page.rows[...]
            }
            return rows.removeFirst()
        }
    }
}

/// One page of a list, and its position in the list.
public struct TablePage<Row: Sendable>: Sendable {
    /// The rows of this page.
    public let rows: [Row]
    /// The number of rows in the whole list, or `nil` if the query did not request this number.
    public let totalCount: Int?
    /// The page number, starting at 1.
    public let number: Int
    /// The number of rows on this page and all pages before it.
    public let rowsSoFar: Int
    /// The link to the next page, or `nil` on the last page.
    public let next: PageLink?
}

extension TablePage: Equatable where Row: Equatable {}

/// A link to the next page of a list, which always leads to the same table of the same API.
public struct PageLink: Hashable, Sendable {
    let query: String
    let number: Int
    let rowsBefore: Int
}
