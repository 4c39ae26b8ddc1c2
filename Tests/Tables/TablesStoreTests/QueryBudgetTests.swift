import Foundation
import GRDB
import Moments
import Storage
import Synchronization
import Tables
import TablesSQL
import TestSupport
import Testing

@testable import DurableSQLite
@testable import TablesSQLite
@testable import TablesStore

/// Tests that no query exceeds its budget, and that expensive queries do not delay other queries.
@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct QueryBudgetTests {
    /// The maximum number of characters of a column's text.
    private static let length = TableColumn.defaultMaxLength
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func open(_ clock: MomentClock = TestClock().clock) async throws -> TablesStore {
        let directory = try StateDirectory(folder.url.path)
        return try await .open(in: directory, definitions: [.todoitem], clock: clock)
    }

    private func insert(_ store: TablesStore, _ members: [String: TableValue]) async throws {
        let table = try TableDeclaration.todoitem
        let draft = try RowDraft.insert(members.merging(["text": .string("t")]) { $1 }, into: table) { _ in .null }
        _ = try await store.insert(draft, into: table, owner: "alice")
    }

    private func count(_ store: TablesStore, _ filter: String) async throws -> Int {
        let query = Query().where(try Filter(parsing: filter))
        return try await store.rows(.todoitem, owner: "alice", query: query).rows.count
    }

    private func code(_ body: () async throws -> Void) async -> TablesStoreError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? TablesStoreError)?.code
        }
    }

    @Test("a query that is too costly is stopped, and the next one runs") func costly() async throws {
        let store = try await open()
        for _ in 0..<40 { try await insert(store, [:]) }
        let product = SQLFragment(
            "/* test */ SELECT count(*) FROM t_todoitem a, t_todoitem b, t_todoitem c, t_todoitem d"
        )
        let statement = RawStatement(query: product, shapes: store.shapes)
        let given = await code {
            let limits = QueryBudget.Limits(steps: 100_000, time: .seconds(5))
            try await store.places.read(store.database, owner: "alice") { db, _ in
                try statement.run(db, within: QueryBudget(limits, clock: store.clock)) { _ in }
            }
        }
        #expect(given == .tooCostly)
        #expect(try await count(store, "text eq 't'") == 40)
    }

    @Test("a read that turns out to be long starts again on a thread without waiting requests")
    func longRead() async throws {
        let store = try await open()
        let budgets = Mutex<[QueryBudget.Limits]>([])
        let value = try await store.places.read(store.database, owner: "alice") { _, budget in
            budgets.withLock { $0.append(budget.limits) }
            guard budget.limits == .whole else { throw TablesStoreError(.tooCostly) }
            return 7
        }
        #expect(value == 7)
        #expect(budgets.withLock { $0 } == [.short, .whole])
    }

    @Test("a page of many bytes is built on another thread, as a long read of its owner") func longPage()
        async throws
    {
        let store = try await open()
        let text = String(repeating: "x", count: 60_000)
        for _ in 0..<6 { try await insert(store, ["notes": .string(text)]) }
        let table = try TableDeclaration.todoitem
        let shares = Mutex(0)
        let client = ReadClient {
            shares.withLock { $0 += 1 }
            return "alice"
        } untilGone: {
            let (nothing, open) = AsyncStream.makeStream(of: Void.self)
            for await _ in nothing {}
            open.finish()
        }
        var query = Query()
        query.top = 2
        #expect(try await store.page(table, owner: "alice", query: query, for: client).count == 2)
        #expect(shares.withLock { $0 } == 0)
        query.top = 6
        let page = try await store.page(table, owner: "alice", query: query, for: client)
        #expect(page.count == 6 && page.json.count > QueryBudget.Limits.short.bytes)
        #expect(shares.withLock { $0 } == 1)
        #expect(try await store.rows(table, owner: "alice", query: query, for: client).rows.count == 6)
        #expect(shares.withLock { $0 } == 2)
    }

    @Test("a query that takes too long is stopped, however few steps it takes") func deadline() async throws {
        // Each time a query reads the clock, the clock advances by five seconds. A few thousand steps therefore exceed
        // the query's time limit.
        let clock = TestClock()
        let store = try await open(
            MomentClock {
                clock.advance(by: .seconds(5))
                return clock.now
            }
        )
        for _ in 0..<200 { try await insert(store, [:]) }
        let parts = (0..<20).map { "text ne '\($0)'" }.joined(separator: " and ")
        #expect(await code { _ = try await count(store, parts) } == .tooCostly)
    }

    @Test("a search for a long part in a long text is linear") func search() async throws {
        let store = try await open()
        let half = String(repeating: "a", count: Self.length / 2)
        try await insert(store, ["notes": .string(half + half), "tags": .string(half + "b")])
        #expect(try await count(store, "indexof(notes, tags) eq -1") == 1)
        #expect(try await count(store, "substringof(substring(tags, 1), notes) or startswith(notes, tags)") == 0)
        #expect(
            try await count(store, "length(replace(concat(tags, notes), 'b', '')) eq \(3 * Self.length / 2)") == 1
        )
    }

    @Test(
        "texts that grow without limit are rejected",
        arguments: [
            "length(concat(concat(concat(notes, notes), notes), concat(concat(notes, notes), notes))) gt 0",
            "length(replace(notes, 'a', 'bbbbbbbbbbbbbbbb')) gt 0",
            "length(concat(replace(notes, 'a', 'bbbb'), replace(notes, 'a', 'cccc'))) gt 0",
        ]
    )
    func growth(_ filter: String) async throws {
        let store = try await open()
        try await insert(store, ["notes": .string(String(repeating: "a", count: Self.length))])
        #expect(await code { _ = try await count(store, filter) } == .tooCostly)
        let table = try TableDeclaration.todoitem
        let given = await code {
            _ = try await store.delete(matching: Filter(parsing: filter), of: table, owner: "alice")
        }
        #expect(given == .tooCostly)
        #expect(try await count(store, "text eq 't'") == 1)
    }

    @Test("long reads of one owner leave a slot to another, and too many are rejected") func places() async throws {
        let reads = SlowReads()
        let (held, release) = AsyncStream<Void>.makeStream()
        let order = Names()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<SlowReads.placesOfOwner + SlowReads.waitersOfOwner {
                group.addTask {
                    try await reads.run("alice") {
                        for await _ in held {}
                        order.add("alice")
                    }
                }
            }
            // Once all of alice's reads run or wait, one more read is rejected.
            try await waitUntil("all of alice's reads have come") { reads.isFull("alice") }
            let refused = await #expect(throws: StoreError.self) { try await reads.run("alice") {} }
            #expect(refused?.code == .busy)
            try await reads.run("bob") { order.add("bob") }
            release.finish()
            try await group.waitForAll()
        }
        let names = order.all
        #expect(names.first == "bob")
        #expect(names.count == 1 + SlowReads.placesOfOwner + SlowReads.waitersOfOwner)
    }

    @Test("a long read stops when its client disconnects, waiting or running") func abandoned() async throws {
        let store = try await open()
        for _ in 0..<40 { try await insert(store, [:]) }
        let endless = (0..<12).map { "t_todoitem t\($0)" }.joined(separator: ", ")
        let statement = RawStatement(
            query: SQLFragment("/* test */ SELECT count(*) FROM \(endless)"),
            shapes: store.shapes
        )
        let places = ReadAdmission(clock: store.clock, whole: QueryBudget.Limits(steps: .max, time: .seconds(3600)))
        // There is one more read than can run at the same time, so one read waits. Then all clients disconnect.
        let all = SlowReads.placesOfOwner + 1
        let clients = (0..<all).map { _ in AsyncStream<Void>.makeStream() }
        let running = Names()
        let codes = try await withThrowingTaskGroup(of: TablesStoreError.Code?.self) { group in
            for (stream, _) in clients {
                let client = ReadClient(share: { "alice" }) { for await _ in stream {} }
                group.addTask {
                    await code {
                        try await places.read(store.database, owner: "", for: client) { db, budget in
                            guard budget.limits != .short else { throw TablesStoreError(.tooCostly) }
                            running.add("alice")
                            try statement.run(db, within: budget) { _ in }
                        }
                    }
                }
            }
            try await waitUntil("as many run as may") { running.all.count == SlowReads.placesOfOwner }
            for (_, goes) in clients { goes.finish() }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes == Array(repeating: .abandoned, count: all))
        #expect(try await count(store, "text eq 't'") == 40)
    }

    @Test("a page without memory for its client is stopped while it is built") func noRoom() async throws {
        let store = try await open()
        for _ in 0..<40 { try await insert(store, [:]) }
        let asked = Names()
        func page(within bytes: Int) async -> TablesStoreError.Code? {
            let client = ReadClient(
                share: { "alice" },
                untilGone: {},
                fits: { count in
                    asked.add("\(count)")
                    return count <= bytes
                }
            )
            return await code {
                _ = try await store.page(.todoitem, owner: "alice", query: Query(), for: client)
            }
        }
        #expect(await page(within: 500) == .noRoom)
        #expect((1..<40).contains(asked.all.count))
        #expect(await page(within: 1_000_000) == nil)
    }

    @Test("a cancelled waiting read gives up its place in the queue") func givenUp() async throws {
        let reads = SlowReads()
        let (held, release) = AsyncStream<Void>.makeStream()
        try await withThrowingTaskGroup(of: Void.self) { group in
            let begun = Names()
            for _ in 0..<SlowReads.placesOfOwner {
                group.addTask {
                    try await reads.run("alice") {
                        begun.add("alice")
                        for await _ in held {}
                    }
                }
            }
            try await waitUntil("all places are taken") { begun.all.count == SlowReads.placesOfOwner }
            let waiters = Task {
                try await withThrowingTaskGroup(of: Void.self) { waiting in
                    for _ in 0..<SlowReads.waitersOfOwner { waiting.addTask { try await reads.run("alice") {} } }
                    try await waiting.waitForAll()
                }
            }
            try await waitUntil("all of alice's reads have come") { reads.isFull("alice") }
            waiters.cancel()
            await #expect(throws: CancellationError.self) { try await waiters.value }
            #expect(!reads.isFull("alice"))
            release.finish()
            try await group.waitForAll()
        }
    }

    @Test("rows that change after the search are searched for again, with a limit after which all stay")
    func changedMeanwhile() async throws {
        let store = try await open()
        let table = try TableDeclaration.todoitem
        for _ in 0..<2 { try await insert(store, [:]) }
        let all = try Filter(parsing: "text ne ''")
        func change(_ row: TableRow) async throws {
            let draft = try RowDraft.update(["text": .string("u")], of: table)
            _ = try await store.update(row.id, of: table, owner: "alice", with: draft)
        }
        let looked = Mutex(0)
        let given = await code {
            _ = try await store.delete(matching: all, of: table, owner: "alice") { rows in
                looked.withLock { $0 += 1 }
                #expect(rows.count == 2)
                try await change(try #require(rows.last))
            }
        }
        #expect(given == .changing && looked.withLock { $0 } > 1)
        #expect(try await store.rows(table, owner: "alice").rows.count == 2)
        let gone = try await store.delete(matching: all, of: table, owner: "alice") { rows in
            if rows.allSatisfy({ $0.values["text"] == .string("u") }) { return }
            try await change(try #require(rows.first { $0.values["text"] == .string("t") }))
        }
        #expect(gone.count == 2 && gone.allSatisfy { $0.isDeleted && $0.values["text"] == .string("u") })
    }

    @Test("the length of rows read at once is limited, and sorted data does not stay in memory")
    func longRows() async throws {
        let store = try await open()
        let table = try TableDeclaration.todoitem
        let long: TableValue = .string(String(repeating: "a", count: Self.length))
        let count = TablesStore.maxPageLength / Self.length + 3
        for index in 0..<count { try await insert(store, ["notes": long, "duration": .number(Double(-index))]) }
        let stored = try await store.database.read { db in try db.number("PRAGMA temp_store") }
        #expect(stored == 1)
        let query = Query().sort(by: "duration").top(1000)
        let page = try await store.rows(table, owner: "alice", query: query)
        #expect(page.hasMore && page.rows.count == TablesStore.maxPageLength / Self.length + 1)
        #expect(page.rows.first?.values["duration"] == .number(Double(1 - count)))
        let all = try Filter(parsing: "text eq 't'")
        #expect(await code { _ = try await store.delete(matching: all, of: table, owner: "alice") } == .tooMany)
        let text = try #require(table.column("text"))
        let several = await code { _ = try await store.only(whose: text, is: "t", of: table, owner: "alice") }
        #expect(several == .ambiguous)
    }

    @Test("a deletion counts its rows as JSON in the response") func escapedRows() async throws {
        let store = try await open()
        let table = try TableDeclaration.todoitem
        // Each byte of the text becomes six bytes in JSON.
        let text: TableValue = .string(String(repeating: "\u{1}", count: Self.length))
        let count = TablesStore.maxPageLength / (6 * Self.length) + 1
        for _ in 0..<count { try await insert(store, ["notes": text]) }
        let all = try Filter(parsing: "text eq 't'")
        #expect(await code { _ = try await store.delete(matching: all, of: table, owner: "alice") } == .tooMany)
        #expect(try await store.rows(table, owner: "alice").rows.count == count)
    }

    @Test("a row that grows by many changes has a limit") func longRow() async throws {
        let names = ["a", "b", "c"]
        let table = try TableDeclaration("long", columns: names.map { TableColumn($0, .string) })
        let store = try await open().adopting([table])
        let long: TableValue = .string(String(repeating: "a", count: Self.length))
        let draft = try RowDraft.insert(["a": long, "b": long], into: table) { _ in .null }
        let row = try await store.insert(draft, into: table, owner: "alice")
        let given = await code {
            let change = try RowDraft.update(["c": long], of: table)
            _ = try await store.update(row.id, of: table, owner: "alice", with: change)
        }
        #expect(given == .tooLong)
        #expect(try await store.rows(table, owner: "alice").rows.first == row)
    }
}

/// Records names in the order in which they are added.
private final class Names: Sendable {
    private let names = Mutex<[String]>([])

    var all: [String] { names.withLock { $0 } }

    func add(_ name: String) { names.withLock { $0.append(name) } }
}
