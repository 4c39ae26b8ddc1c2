import DurableSQLite
import Foundation
import GRDB
import Storage
import Tables
import TestSupport
import Testing

@testable import TablesStore

/// Tests of the limits on the rows and bytes of an owner.
@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct OwnerUsageTests {
    private static let owners = ["alice", "bob", ""]
    private let folder: TemporaryFolder
    private let clock = TestClock()

    init() throws {
        folder = try TemporaryFolder()
    }

    private func open(
        _ tables: [TableDeclaration],
        limits: OwnerLimits = .standard,
        in name: String = ""
    ) async throws -> TablesStore {
        let directory = try StateDirectory(folder.path(name))
        return try await .open(in: directory, definitions: tables, limits: limits, clock: clock.clock)
    }

    private static func tables() throws -> [TableDeclaration] {
        let todo = try TableDeclaration.todoitem
        var notes = try TableDeclaration("notes", columns: [TableColumn("text", .string)])
        notes.hasSoftDelete = false
        notes.isDynamic = true
        return [todo, notes]
    }

    /// Counts the owner's stored rows and bytes row by row, independently of the store's own counts.
    private func counted(_ store: TablesStore, _ owner: String) async throws -> [Int] {
        try await store.database.read { db in
            var (rows, bytes) = (0, 0)
            for table in ["t_todoitem", "t_notes"] {
                let texts = try db.columns(in: table).map(\.name).filter { $0.hasPrefix("c_") }
                for row in try Row.fetchAll(
                    db,
                    sql: "/* test */ SELECT * FROM \(table) WHERE owner = $1",
                    arguments: [owner]
                ) {
                    rows += 1
                    for text in texts { bytes += (row[text] as DatabaseValue).text?.utf8.count ?? 0 }
                }
            }
            let sql = "/* test */ SELECT row FROM insertions WHERE owner = $1"
            for copy in try Data.fetchAll(db, sql: sql, arguments: [owner]) { bytes += copy.count }
            return [rows, bytes]
        }
    }

    private func check(_ store: TablesStore) async throws {
        for owner in Self.owners {
            let usage = try await store.database.read { db in try OwnerUsage(db, owner) }
            try #require(try await counted(store, owner) == [usage.rows, usage.bytes], "owner '\(owner)'")
        }
    }

    @Test("the counts equal those of the rows after every kind of write", arguments: 0..<6) func property(
        _ seed: Int
    ) async throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let tables = try Self.tables()
        var store = try await open(tables)
        var ids = ["a", "b", "c"].compactMap { RowID($0) }
        for step in 0..<120 {
            let (table, owner, id) = (random.pick(tables), random.pick(Self.owners), random.pick(ids))
            var members: [String: TableValue] = [
                "text": .string(String(repeating: "é", count: random.below(9))),
                random.pick(table.isDynamic ? ["more", "Other"] : ["notes", "tags"]): .string("x\(random.below(500))"),
            ]
            do {
                switch random.below(9) {
                case 0, 1, 2:
                    members["id"] = .string(id.text)
                    let draft = try RowDraft.insert(members, into: table) { _ in .null }
                    let key = random.below(2) == 0 ? UUID() : nil
                    _ = try await store.insert(draft, into: table, owner: owner, key: key)
                case 3, 4:
                    let draft = try RowDraft.update(members, of: table)
                    _ = try await store.update(id, of: table, owner: owner, with: draft)
                case 5: _ = try await store.delete(id, of: table, owner: owner)
                case 6: _ = try await store.undelete(id, of: table, owner: owner)
                case 7:
                    _ = try await store.delete(matching: Filter(parsing: "text ne ''"), of: table, owner: owner)
                default:
                    clock.advance(by: .seconds(20 * 24 * 3600))
                    _ = try await store.purge()
                }
            } catch is TablesStoreError {
                // A random step fails if its row does not exist or already exists. A failed step must not change the
                // counts.
            }
            if step % 10 == 9 { try await check(store) }
            if step == 60 {
                store.close()
                store = try await open(tables)
                ids.append(.random())
            }
        }
        _ = try await store.storedColumns.drop("more", of: "notes")
        try await check(store)
    }

    @Test("a write beyond a limit is rolled back, and deleted rows count until they are purged") func limits()
        async throws
    {
        let table = try TableDeclaration.todoitem
        let store = try await open([table], limits: OwnerLimits(rows: 2, bytes: 10))
        func insert(_ text: String) async -> TablesStoreError.Code? {
            do {
                let draft = try RowDraft.insert(["text": .string(text)], into: table) { _ in .null }
                _ = try await store.insert(draft, into: table, owner: "alice")
                return nil
            } catch {
                return (error as? TablesStoreError)?.code
            }
        }
        #expect(await insert("12345678901") == .tooManyBytes)
        #expect(await insert("12345") == nil)
        #expect(await insert("12345") == nil)
        #expect(await insert("") == .tooManyRows)
        let rows = try await store.rows(table, owner: "alice").rows
        let id = try #require(rows.first?.id)
        let longer = try RowDraft.update(["text": .string("123456")], of: table)
        let error = await #expect(throws: TablesStoreError.self) {
            _ = try await store.update(id, of: table, owner: "alice", with: longer)
        }
        #expect(error?.code == .tooManyBytes)
        #expect(try await store.rows(table, owner: "alice").rows == rows)
        _ = try await store.delete(id, of: table, owner: "alice")
        #expect(await insert("") == .tooManyRows)
        clock.advance(by: .seconds(31 * 24 * 3600))
        #expect(try await store.purge() == 1)
        #expect(await insert("12345") == nil)
        let wider = try await store.adopting([table], limits: OwnerLimits(rows: 3, bytes: 10))
        let draft = try RowDraft.insert(["text": .string("")], into: table) { _ in .null }
        _ = try await wider.insert(draft, into: table, owner: "alice")
    }
}

extension DatabaseValue {
    fileprivate var text: String? {
        if case .string(let text) = storage { text } else { nil }
    }
}
