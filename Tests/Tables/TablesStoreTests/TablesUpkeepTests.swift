import Foundation
import GRDB
import Moments
import Storage
import Tables
import TablesSQL
import TestSupport
import Testing

@testable import DurableSQLite
@testable import TablesStore

/// Tests of the store's maintenance and of its cost.
@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct TablesUpkeepTests {
    private let folder: TemporaryFolder
    private let clock = TestClock()

    init() throws {
        folder = try TemporaryFolder()
    }

    private func open(_ tables: [TableDeclaration]) async throws -> TablesStore {
        let directory = try StateDirectory(folder.url.path)
        return try await .open(in: directory, definitions: tables, clock: clock.clock)
    }

    private func insert(
        _ text: String,
        _ table: TableDeclaration,
        _ store: TablesStore,
        owner: String = "alice",
        more: [String: TableValue] = [:]
    ) async throws -> TableRow {
        let members = more.merging(["text": .string(text)]) { $1 }
        let draft = try RowDraft.insert(members, into: table) { _ in .null }
        return try await store.insert(draft, into: table, owner: owner)
    }

    private func query(_ address: String) throws -> Query {
        try Query(url: address.addingPercentEncoding(withAllowedCharacters: .urlQueryAllowed))
    }

    private func code(_ body: () async throws -> Void) async -> TablesStoreError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? TablesStoreError)?.code
        }
    }

    @Test("purged deletions are remembered for each owner, also after reopening") func horizon() async throws {
        let table = try TableDeclaration.todoitem
        var store = try await open([table])
        var dead: [String: Int64] = [:]
        for owner in ["alice", "bob"] {
            let row = try await insert("x", table, store, owner: owner)
            dead[owner] = try await store.delete(row.id, of: table, owner: owner).updatedAt
            clock.advance(by: .seconds(20 * 24 * 3600))
        }
        #expect(try await store.purge() == 1)
        store.close()
        store = try await open([table])
        func follow(_ owner: String, _ time: Int64) async -> TablesStoreError.Code? {
            await code {
                let text = "$filter=updatedAt ge datetimeoffset'\(TableDate.text(time))'&__includeDeleted=true"
                _ = try await store.page(table, owner: owner, query: try query(text))
            }
        }
        let (alice, bob) = (try #require(dead["alice"]), try #require(dead["bob"]))
        #expect(await follow("alice", alice) == .forgotten)
        #expect(await follow("alice", 1) == .forgotten)
        #expect(await follow("alice", alice + 1) == nil)
        #expect(await follow("alice", 0) == nil)
        #expect(await follow("bob", bob) == nil)
    }

    @Test("every kind of write has a later time than all before, whatever the clock") func times() async throws {
        var shared = try TableDeclaration("shared", columns: [TableColumn("text", .string)])
        shared.isPerUser = false
        let store = try await open([shared])
        var last: Int64 = 0
        func later(_ row: TableRow) {
            #expect(row.updatedAt > last)
            last = row.updatedAt
        }
        for round in 0..<3 {
            let row = try await insert("x", shared, store, owner: "")
            later(row)
            clock.setWall(by: .seconds(-3600))
            let change = try RowDraft.update(["text": .string("y")], of: shared)
            later(try await store.update(row.id, of: shared, owner: "", with: change))
            later(try await store.delete(row.id, of: shared, owner: ""))
            later(try await store.undelete(row.id, of: shared, owner: ""))
            _ = try await insert("y", shared, store, owner: "")
            last += 1
            let gone = try await store.delete(matching: Filter(parsing: "text eq 'y'"), of: shared, owner: "")
            #expect(gone.count == 2)
            for row in gone { later(row) }
            if round == 1 { clock.advance(by: .seconds(7200)) }
        }
        #expect(last > clock.now.wall)
    }

    @Test("more rows than the maximum of one deletion all stay") func tooMany() async throws {
        let table = try TableDeclaration.todoitem
        let store = try await open([table])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0...TablesStore.maxDeletion {
                group.addTask { _ = try await insert("t\(index)", table, store) }
                if index % 200 == 199 { try await group.waitForAll() }
            }
            try await group.waitForAll()
        }
        let all = try Filter(parsing: "text ne ''")
        #expect(await code { _ = try await store.delete(matching: all, of: table, owner: "alice") } == .tooMany)
        _ = try await store.delete(matching: Filter(parsing: "text eq 't7'"), of: table, owner: "alice")
        #expect(try await store.delete(matching: all, of: table, owner: "alice").count == TablesStore.maxDeletion)
        #expect(try await store.rows(table, owner: "alice").rows.isEmpty)
    }

    @Test("columns that rows added exist after reopening, after the configured ones") func grown()
        async throws
    {
        var table = try TableDeclaration("things", columns: [TableColumn("text", .string)])
        table.isDynamic = true
        var store = try await open([table])
        let row = try await insert("x", table, store, more: ["Size": .number(3)])
        store.close()
        store = try await open([table])
        #expect(store.table("THINGS")?.columns.map(\.name) == ["text", "Size"])
        #expect(try await store.row(table, owner: "alice", id: row.id)?.values["Size"] == .number(3))
        let wider = try table.adding([TableColumn("colour", .string), TableColumn("size", .number)])
        store = try await store.adopting([wider])
        #expect(store.table("things")?.columns.map(\.name) == ["text", "colour", "size"])
        #expect(try await store.row(wider, owner: "alice", id: row.id)?.values["size"] == .number(3))
        let other = try table.adding([TableColumn("size", .string)])
        let error = await #expect(throws: StoreError.self) { _ = try await store.adopting([other]) }
        #expect(error?.code == .conflict)
        var counted = table
        counted.idKind = .integer
        let renumbered = await #expect(throws: StoreError.self) { _ = try await store.adopting([counted]) }
        #expect(renumbered?.code == .conflict)
    }

    @Test("if two rows add one column with two types, the second is rejected") func twoTypes() async throws {
        var table = try TableDeclaration("things", columns: [TableColumn("text", .string)])
        table.isDynamic = true
        let store = try await open([table])
        _ = try await insert("x", table, store, more: ["Size": .number(3)])
        let problem = await #expect(throws: TableProblem.self) {
            _ = try await insert("y", table, store, more: ["size": .string("large")])
        }
        #expect(problem?.column == "Size")
        #expect(try await store.rows(table, owner: "alice").rows.map { $0.values["Size"] } == [.number(3)])
    }

    @Test("sort keys with a different fingerprint are rebuilt") func sortKeys() async throws {
        let table = try TableDeclaration.todoitem
        var store = try await open([table])
        for text in ["b", "A", "ä"] { _ = try await insert(text, table, store) }
        try await store.database.write { db in
            try db.execute(sql: "/* test */ UPDATE t_todoitem SET k_text = 'x', k_notes = 'x'")
            try db.execute(sql: "/* test */ UPDATE columns SET sort_version = 0")
        }
        store.close()
        store = try await open([table])
        let sorted = try await store.rows(table, owner: "alice", query: Query().sort(by: "text"))
        #expect(sorted.rows.map { $0.values["text"] } == [.string("A"), .string("ä"), .string("b")])
        let rest = try await store.database.read { db in
            try db.number("/* test */ SELECT count(*) FROM t_todoitem WHERE k_notes IS NOT NULL OR k_text = 'x'")
        }
        #expect(rest == 0)
    }

    @Test("sort keys of added columns are rebuilt in batches, and current ones stay")
    func grownSortKeys() async throws {
        var dynamic = try TableDeclaration("things", columns: [TableColumn("text", .string)])
        dynamic.isDynamic = true
        let table = dynamic
        let first = try await open([table])
        for _ in 0...TablesStore.batch / 100 {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<100 {
                    group.addTask { _ = try await insert("x", table, first, more: ["more": .string("Y")]) }
                }
                try await group.waitForAll()
            }
        }
        try await first.database.write { db in
            try db.execute(sql: "/* test */ UPDATE t_things SET k_text = '-', k_more = '-'")
            try db.execute(sql: "/* test */ UPDATE columns SET sort_version = sort_version - 1 WHERE name = 'more'")
        }
        first.close()
        let store = try await open([table])
        let (kept, made) = try await store.database.read { db in
            (
                try db.number("/* test */ SELECT count(*) FROM t_things WHERE k_text = '-'"),
                try db.number("/* test */ SELECT count(*) FROM t_things WHERE k_more = $1", [SortKey.of("Y")])
            )
        }
        #expect(kept == TablesStore.batch + 100 && made == kept)
        let versions = try await store.database.read { db in
            try Int64.fetchAll(db, sql: "/* test */ SELECT DISTINCT sort_version FROM columns")
        }
        #expect(versions == [SortKey.fingerprint])
    }

    @Test("a page as JSON equals its rows as JSON") func bytes() async throws {
        let table = try TableDeclaration.todoitem
        let store = try await open([table])
        for (index, text) in ["", "a\"b\\c\u{1}\n", "é漢😀", "x\u{0}y"].enumerated() {
            let more: [String: TableValue] = [
                "duration": .number([0, -1.5, 1e300, 123_456_789][index]), "complete": .boolean(index % 2 == 0),
                "due": index == 1 ? .null : .string("0001-01-01T00:00:00.001Z"),
            ]
            _ = try await insert(text, table, store, more: more)
        }
        let page = try await store.page(table, owner: "alice", query: Query())
        let rows = try await store.rows(table, owner: "alice").rows
        #expect(page.count == 4 && page.json == RowFormat(table).json(rows))
        #expect(try JSONSerialization.jsonObject(with: Data(page.json)) is [[String: Any]])
    }

    @Test("a client that follows a table reads from its position") func plans()
        async throws
    {
        var shared = try TableDeclaration("shared", columns: [TableColumn("text", .string)])
        shared.isPerUser = false
        shared.idKind = .integer
        let todo = try TableDeclaration.todoitem
        let store = try await open([todo, shared])
        for (table, owner) in [(todo, "alice"), (shared, "")] {
            let row = try await insert("x", table, store, owner: owner)
            for address in [
                "", "$inlinecount=allpages", "$orderby=text", "__includeDeleted=true", "$skip=10&$top=5",
                "$filter=text eq 'x'",
                "$filter=updatedAt ge datetimeoffset'2020-01-01T00:00:00.000Z'&$orderby=updatedAt&__includeDeleted=true",
                "$filter=updatedAt ge datetimeoffset'2020-01-01T00:00:00.000Z'",
                "$filter=id gt \(table.idKind == .integer ? "0" : "'a'")",
            ] {
                _ = try await store.page(table, owner: owner, query: try query(address))
            }
            _ = try await store.lookUp(row.id, in: table, owner: owner, query: Query())
            let change = try RowDraft.update(["text": .string("y")], of: table)
            _ = try await store.update(row.id, of: table, owner: owner, with: change)
            _ = try await store.delete(matching: Filter(parsing: "text eq 'y'"), of: table, owner: owner)
            _ = try await store.undelete(row.id, of: table, owner: owner)
        }
        _ = try await store.purge()
        let following = try #require(
            StatementPlans.current?.statements.first {
                $0.contains("t_todoitem") && $0.contains("updatedAt >=") && !$0.contains("deleted =")
            }
        )
        let plan = try await store.database.read { db in
            let statement = try db.makeStatement(sql: "EXPLAIN QUERY PLAN \(following)")
            statement.setUncheckedArguments([:])
            return try Row.fetchAll(statement).map { $0["detail"] as String }
        }
        #expect(plan == ["SEARCH t_todoitem USING INDEX i_todoitem_updated (owner=? AND updatedAt>?)"])
    }
}
