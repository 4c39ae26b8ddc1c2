import Foundation
import Storage
import TestSupport
import Testing

@testable import Tables
@testable import TablesStore

/// Tests with two owners whose rows have the same id.
///
/// Operations by one owner must never change the other owner's row.
@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct OwnerTests {
    private let folder: TemporaryFolder
    private let clock = TestClock()

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Inserts a row with the id `same` for both owners, and runs `test` with a check that bob's row is unchanged.
    private func scene(
        softDelete: Bool,
        _ test: (TablesStore, TableDeclaration, () async throws -> Void) async throws -> Void
    ) async throws {
        var declared = try TableDeclaration.todoitem
        declared.hasSoftDelete = softDelete
        let table = declared
        let directory = try StateDirectory(folder.url.path)
        let store = try await TablesStore.open(in: directory, definitions: [table], clock: clock.clock)
        let draft = try RowDraft.insert(["id": .string("same"), "text": .string("milk")], into: table) { _ in .null }
        let his = try await store.insert(draft, into: table, owner: "bob")
        _ = try await store.insert(draft, into: table, owner: "alice")
        try await test(store, table) { () async throws in
            clock.advance(by: .seconds(1))
            #expect(try await store.row(table, owner: "bob", id: his.id) == his)
            #expect(try await store.rows(table, owner: "bob").rows == [his])
        }
    }

    @Test("an update, a deletion and its undoing", arguments: [true, false]) func single(
        _ softDelete: Bool
    ) async throws {
        let id = try #require(RowID("same"))
        try await scene(softDelete: softDelete) { (store, table, check) async throws in
            let change = try RowDraft.update(["text": .string("mine"), "notes": .string("n")], of: table)
            let row = try await store.update(id, of: table, owner: "alice", with: change)
            try await check()
            let conditions = Preconditions(match: .oneOf([row.version]))
            _ = try await store.update(id, of: table, owner: "alice", with: change, if: conditions)
            try await check()
            _ = try await store.delete(id, of: table, owner: "alice")
            try await check()
            if softDelete {
                _ = try await store.undelete(id, of: table, owner: "alice")
                try await check()
                _ = try await store.delete(id, of: table, owner: "alice")
            }
            clock.advance(by: .seconds(100 * 24 * 3600))
            #expect(try await store.purge() == (softDelete ? 1 : 0))
            try await check()
            #expect(try await store.row(table, owner: "alice", id: id) == nil)
        }
    }

    @Test("a deletion by condition", arguments: [true, false]) func matching(_ softDelete: Bool) async throws {
        try await scene(softDelete: softDelete) { (store, table, check) async throws in
            let all = try Filter(parsing: "id eq 'same' or text eq 'milk'")
            #expect(try await store.delete(matching: all, of: table, owner: "alice").count == 1)
            try await check()
            #expect(try await store.delete(matching: all, of: table, owner: "alice").isEmpty)
            try await check()
        }
    }

    @Test("a look-up, and the only row with a text") func reading() async throws {
        try await scene(softDelete: true) { (store, table, check) async throws in
            let id = try #require(RowID("same"))
            let text = try #require(table.column("text"))
            #expect(try await store.only(whose: text, is: "milk", of: table, owner: "alice").id == id)
            #expect(try await store.lookUp(id, in: table, owner: "carol", query: Query()) == nil)
            #expect(try await store.row(table, owner: "carol", id: id) == nil)
            let error = await #expect(throws: TablesStoreError.self) {
                _ = try await store.delete(id, of: table, owner: "carol")
            }
            #expect(error?.code == .notFound)
            try await check()
        }
    }
}
