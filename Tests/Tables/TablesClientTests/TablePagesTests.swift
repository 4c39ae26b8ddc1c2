import Foundation
import OAuth
import Synchronization
import Tables
import TablesClient
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TablePagesTests {
    /// Returns a filter that responds with `rows` numbered rows in pages of at most `page` rows.
    ///
    /// A page links to the next page if the request's `$top` allows more rows. Without `$top`, pages have links only if
    /// `linksWithoutTop` is true.
    private static func numbers(_ rows: Int, page: Int, linksWithoutTop: Bool = true) -> RequestFilter {
        { request, _ in
            let query = try Query(url: request.query)
            guard query.top ?? 0 <= 1000 else { return TablesResponse(status: 400) }
            let skip = query.skip ?? 0
            let count = max(0, min(rows - skip, query.top ?? .max, page))
            let items = JSONValue.array((0..<count).map { ["id": .string("\(skip + $0)")] })
            var onward = query
            onward.skip = skip + count
            onward.top = query.top.map { $0 - count }
            let isMore = count == page && (query.top.map { $0 > count } ?? linksWithoutTop) && skip + count < rows
            let link = "\(request.url.prefix { $0 != "?" })?\(onward.urlQuery() ?? ""); rel=next"
            return TablesResponse(
                headers: isMore ? ["Link": link] : [:],
                json: query.includesTotalCount ? ["results": items, "count": .int(Int64(rows))] : items
            )
        }
    }

    private func table<Value: Sendable>(
        _ filter: @escaping RequestFilter,
        _ body: (RemoteTable) async throws -> Value
    ) async throws -> (Value, [String]) {
        let asked = Mutex<[String]>([])
        let watching: RequestFilter = { request, next in
            asked.withLock { $0.append(request.query?.removingPercentEncoding ?? "") }
            return try await next(request)
        }
        let value = try await TablesClient.with(try APIAddress("https://api.example"), filters: [watching, filter]) {
            try await body($0.table("n"))
        }
        return (value, asked.withLock { $0 })
    }

    @Test("pages report the progress through the list, and the total count if requested") func progress() async throws {
        let (pages, asked) = try await table(Self.numbers(7, page: 3)) { table in
            var pages: [[Int?]] = []
            for try await page in table.pages(Query().includeTotalCount()) {
                pages.append([page.number, page.rows.count, page.rowsSoFar, page.totalCount])
            }
            return pages
        }
        #expect(pages == [[1, 3, 3, 7], [2, 3, 6, 7], [3, 1, 7, 7]])
        #expect(asked.count == 3 && asked.allSatisfy { $0.contains("$inlinecount=allpages") })
    }

    @Test("a count that was not requested is nil, even if the server sends one") func noCount() async throws {
        let answer = TablesResponse(json: ["results": [], "count": 9])
        let (page, _) = try await table({ _, _ in answer }, { try await $0.read() })
        #expect(page.totalCount == nil && page.rows.isEmpty && page.next == nil)
    }

    @Test("a requested count that is missing throws an error") func lackingCount() async throws {
        for body: JSONValue in [[], ["results": []], ["results": [], "count": "9"], ["results": [], "count": -1]] {
            let error = await #expect(throws: TablesError.self) {
                try await table(
                    { _, _ in TablesResponse(json: body) },
                    { try await $0.read(Query().includeTotalCount()) }
                )
            }
            #expect(error?.code == .malformedAnswer)
        }
    }

    @Test("rows arrive one by one, and pages are requested when needed") func lazy() async throws {
        let (first, asked) = try await table(Self.numbers(100, page: 10)) { table in
            var first: [String] = []
            for try await row in table.rows() {
                first.append(row.id.text)
                if first.count == 11 { break }
            }
            return first
        }
        #expect(first == (0..<11).map(String.init))
        #expect(asked.count == 2)
    }

    @Test("a list longer than the limit of one request is requested in parts") func parts() async throws {
        let (rows, asked) = try await table(Self.numbers(5000, page: 500)) { table in
            try await table.all(Query().top(2600).skip(10))
        }
        #expect(rows.map(\.id.text) == (10..<2610).map(String.init))
        #expect(asked.count == 6)
        let (few, _) = try await table(Self.numbers(1700, page: 1000)) { try await $0.all(Query().top(3000)) }
        #expect(few.count == 1700)
        let (none, _) = try await table(Self.numbers(10, page: 5)) { try await $0.all(Query().top(0)) }
        #expect(none.isEmpty)
    }

    @Test("a page can be requested by the link of the previous one") func links() async throws {
        let (ids, _) = try await table(Self.numbers(5, page: 3)) { table in
            let first = try await table.read()
            let second = try await table.read(next: try #require(first.next))
            #expect(second.number == 2 && second.rowsSoFar == 5 && second.next == nil)
            return (first.rows + second.rows).map(\.id.text)
        }
        #expect(ids == ["0", "1", "2", "3", "4"])
    }

    @Test("a loop ends after an error") func failure() async throws {
        let failing: RequestFilter = { _, _ in TablesResponse(status: 500) }
        let (count, _) = try await table(failing) { table in
            var pages = table.pages().makeAsyncIterator()
            let error = await #expect(throws: TablesError.self) { _ = try await pages.next() }
            #expect(error?.code == .serverFailed)
            return try await pages.next() == nil
        }
        #expect(count)
    }

    @Test("cancelling a loop stops a hanging request and closes its connection")
    func cancelled() async throws {
        let server = try HangingServer()
        let task = Task {
            try await TablesClient.with(server.address, token: Tokens().next) { client in
                for try await _ in client.table("n").pages() {}
            }
        }
        for await _ in server.arrived {}
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        for await _ in server.closed {}
    }
}
