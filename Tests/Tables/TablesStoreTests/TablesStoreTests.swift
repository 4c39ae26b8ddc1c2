import Foundation
import GRDB
import Moments
import Storage
import TestSupport
import Testing

@testable import DurableSQLite
@testable import Tables
@testable import TablesStore

@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct TablesStoreTests {
    private let folder: TemporaryFolder
    private let clock = TestClock()
    private let table: TableDeclaration
    private let store: TablesStore

    init() async throws {
        folder = try TemporaryFolder()
        table = try .todoitem
        let directory = try StateDirectory(folder.url.path)
        store = try await .open(in: directory, definitions: [table], clock: clock.clock)
    }

    private func reopened(_ tables: [TableDeclaration], in name: String = "") async throws -> TablesStore {
        try await .open(in: StateDirectory(folder.path(name)), definitions: tables, clock: clock.clock)
    }

    private func draft(_ text: String, id: String? = nil) throws -> RowDraft {
        var members: [String: TableValue] = ["text": .string(text)]
        if let id { members["id"] = .string(id) }
        return try RowDraft.insert(members, into: table) { _ in .null }
    }

    private func failure(_ body: () async throws -> Void) async -> TablesStoreError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? TablesStoreError
        }
    }

    @Test("every type of value reads back unchanged, also after reopening") func values() async throws {
        let members: [String: TableValue] = [
            "text": .string("mälk 'x'"), "complete": .boolean(true), "duration": .number(2.5),
            "due": .string("2026-11-21T09:00:00.007Z"), "priority": .number(3),
        ]
        let draft = try RowDraft.insert(members, into: table) { _ in .null }
        let row = try await store.insert(draft, into: table, owner: "alice")
        let again = try await reopened([table])
        let read = try await again.row(table, owner: "alice", id: row.id)
        #expect(read == row)
        #expect(read?.values["due"] == .date(1_795_251_600_007))
        #expect(read?.values["notes"] == .null)
    }

    @Test("another owner cannot see, update or delete the first owner's rows") func owners() async throws {
        let row = try await store.insert(draft("mine", id: "a"), into: table, owner: "alice")
        #expect(try await store.row(table, owner: "bob", id: row.id) == nil)
        #expect(try await store.rows(table, owner: "bob").rows.isEmpty)
        let gone = await failure { _ = try await store.delete(row.id, of: table, owner: "bob") }
        #expect(gone?.code == .notFound)
        let own = try await store.insert(draft("bob's", id: "a"), into: table, owner: "bob")
        #expect(own.values["text"] == .string("bob's"))
    }

    @Test("times increase strictly per owner even if the clock stands still or goes back") func times() async throws {
        var last: Int64 = 0
        for index in 0..<5 {
            if index == 3 { clock.setWall(by: .seconds(-3600)) }
            let row = try await store.insert(draft("t\(index)"), into: table, owner: "alice")
            #expect(row.updatedAt > last)
            last = row.updatedAt
        }
    }

    @Test("a taken id is rejected with the existing row") func exists() async throws {
        let row = try await store.insert(draft("first", id: "a"), into: table, owner: "alice")
        let error = await failure { _ = try await store.insert(draft("second", id: "a"), into: table, owner: "alice") }
        #expect(error?.code == .exists && error?.row == row)
    }

    @Test("an update keeps other columns, and each write has a new version") func update() async throws {
        let row = try await store.insert(draft("milk"), into: table, owner: "alice")
        let change = try RowDraft.update(["complete": .boolean(true)], of: table)
        let new = try await store.update(
            row.id,
            of: table,
            owner: "alice",
            with: change,
            if: Preconditions(match: .oneOf([row.version]))
        )
        #expect(new.values["text"] == .string("milk") && new.values["complete"] == .boolean(true))
        #expect(new.version != row.version && new.createdAt == row.createdAt)
        let stale = await failure {
            _ = try await store.update(
                row.id,
                of: table,
                owner: "alice",
                with: change,
                if: Preconditions(match: .oneOf([row.version]))
            )
        }
        #expect(stale?.code == .mismatch && stale?.row == new)
    }

    @Test("a deleted row leaves the list, keeps its tombstone, and cannot be updated or deleted again") func delete()
        async throws
    {
        let row = try await store.insert(draft("milk"), into: table, owner: "alice")
        let dead = try await store.delete(row.id, of: table, owner: "alice", if: Preconditions(match: .exists))
        #expect(dead.isDeleted && dead.version != row.version)
        #expect(try await store.rows(table, owner: "alice").rows.isEmpty)
        #expect(try await store.row(table, owner: "alice", id: row.id)?.isDeleted == true)
        let again = await failure { _ = try await store.delete(row.id, of: table, owner: "alice") }
        #expect(again?.code == .deleted && again?.row == dead)
        let change = try RowDraft.update(["complete": .boolean(true)], of: table)
        let changed = await failure {
            _ = try await store.update(row.id, of: table, owner: "alice", with: change)
        }
        #expect(changed?.code == .deleted)
        let taken = await failure {
            _ = try await store.insert(draft("x", id: row.id.text), into: table, owner: "alice")
        }
        #expect(taken?.code == .exists)
    }

    @Test("without soft delete nothing remains") func hardDelete() async throws {
        var hard = try TableDeclaration("notes", columns: [TableColumn("text", .string)])
        hard.hasSoftDelete = false
        let store = try await reopened([hard], in: "hard")
        let draft = try RowDraft.insert(["text": .string("x")], into: hard) { _ in .null }
        let row = try await store.insert(draft, into: hard, owner: "")
        _ = try await store.delete(row.id, of: hard, owner: "")
        #expect(try await store.row(hard, owner: "", id: row.id) == nil)
    }

    @Test("pages are oldest first and report whether more rows follow") func pages() async throws {
        for index in 0..<5 { _ = try await store.insert(draft("t\(index)"), into: table, owner: "alice") }
        let first = try await store.rows(table, owner: "alice", query: Query().top(2))
        #expect(first.rows.map { $0.values["text"] } == [.string("t0"), .string("t1")] && first.hasMore)
        let last = try await store.rows(table, owner: "alice", query: Query().skip(4).top(2))
        #expect(last.rows.count == 1 && !last.hasMore)
        #expect(try await store.rows(table, owner: "alice", query: Query().top(0)).rows.isEmpty)
    }

    @Test("an insert with a key is done once and returns the first result for a day") func idempotent() async throws {
        let key = UUID()
        let row = try await store.insert(draft("milk"), into: table, owner: "alice", key: key)
        let change = try RowDraft.update(["complete": .boolean(true)], of: table)
        _ = try await store.update(row.id, of: table, owner: "alice", with: change)
        #expect(try await store.insert(draft("milk"), into: table, owner: "alice", key: key) == row)
        let other = await failure { _ = try await store.insert(draft("bread"), into: table, owner: "alice", key: key) }
        #expect(other?.code == .keyReused)
        #expect(try await store.insert(draft("milk"), into: table, owner: "bob", key: key).id != row.id)
        clock.advance(by: .seconds(25 * 3600))
        #expect(try await store.insert(draft("milk"), into: table, owner: "alice", key: key).id != row.id)
    }

    @Test("the only row with a text is found, and no or several rows are an error") func only() async throws {
        let column = try #require(table.column("text"))
        _ = try await store.insert(draft("milk"), into: table, owner: "alice")
        for _ in 0..<2 { _ = try await store.insert(draft("bread"), into: table, owner: "alice") }
        let found = try await store.only(whose: column, is: "milk", of: table, owner: "alice")
        _ = try await store.delete(found.id, of: table, owner: "alice")
        let none = await failure { _ = try await store.only(whose: column, is: "milk", of: table, owner: "alice") }
        #expect(none?.code == .notFound)
        let several = await failure { _ = try await store.only(whose: column, is: "bread", of: table, owner: "alice") }
        #expect(several?.code == .ambiguous && several?.ids.count == 2)
    }

    @Test("tombstones are purged after the table's retention time") func purge() async throws {
        let row = try await store.insert(draft("milk"), into: table, owner: "alice")
        _ = try await store.delete(row.id, of: table, owner: "alice")
        #expect(try await store.purge() == 0)
        clock.advance(by: .seconds(31 * 24 * 3600))
        #expect(try await store.purge() == 1)
        #expect(try await store.row(table, owner: "alice", id: row.id) == nil)
    }

    @Test("concurrent writes all succeed or fail independently") func together() async throws {
        let results = await withTaskGroup(of: Bool.self) { group in
            for index in 0..<200 {
                group.addTask {
                    do {
                        _ = try await store.insert(draft("x", id: "id-\(index % 100)"), into: table, owner: "alice")
                        return true
                    } catch {
                        return false
                    }
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(results == 100)
        #expect(try await store.rows(table, owner: "alice", query: Query().includeTotalCount()).totalCount == 100)
    }

    @Test("the writer flushes every commit") func durable() async throws {
        let mode = try await store.database.write { db in try db.number("PRAGMA synchronous") }
        #expect(mode == 2)
    }

    @Test("the file and its journals are private") func privacy() async throws {
        _ = try await store.insert(draft("x"), into: table, owner: "alice")
        for name in ["tasks.sqlite", "tasks.sqlite-wal", "tasks.sqlite-shm"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.path(name))
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
    }

    @Test("a column can be added but cannot change its type") func widening() async throws {
        let row = try await store.insert(draft("milk"), into: table, owner: "alice")
        let wider = try TableDeclaration("TodoItem", columns: table.columns + [TableColumn("colour", .string)])
        let again = try await reopened([wider])
        #expect(try await again.row(wider, owner: "alice", id: row.id)?.values["colour"] == .null)
        let other = try TableDeclaration("todoitem", columns: [TableColumn("text", .number)])
        let error = await #expect(throws: StoreError.self) { _ = try await reopened([other]) }
        #expect(error?.code == .conflict)
    }

    @Test("a file that is not a database is rejected and unchanged") func unusable() async throws {
        let noise = Data(repeating: 7, count: 8192)
        let directory = try StateDirectory(folder.path("noise"))
        try directory.makePrivateFile(TablesStore.fileName, noise)
        let error = await #expect(throws: StoreError.self) { _ = try await reopened([table], in: "noise") }
        #expect(error?.code == .corrupt)
        #expect(try Data(contentsOf: URL(fileURLWithPath: directory.path(TablesStore.fileName))) == noise)
    }
}
