import OfflineTables
import Tables
import TablesClient
import TestSupport
import Testing

@Suite("§2.1: a local change is one transaction of row and queue", .timeLimit(.minutes(1)))
struct LocalChangeTests {
    private static func context(_ store: any SyncStore = MemorySyncStore()) throws -> SyncTable {
        try SyncContext(store, tables: [.todoitem], clock: TestClock().clock).table("TodoItem")
    }

    @Test("an inserted row is readable at once, with its defaults, and is pending", arguments: [true, false])
    func insert(_ isSealed: Bool) async throws {
        let folder = try StoreFolder(isSealed: isSealed)
        let table = try Self.context(folder.open())
        let row = try await table.insert(["text": "Buy milk", "due": "2026-12-24T18:00:00.000Z"])
        let read = try await table.read(id: row.id)
        #expect(read?["text"] == "Buy milk")
        #expect(read?["complete"] == false)
        #expect(read?["due"] == .date(1_798_135_200_000))
        #expect(try await table.pendingOperationsCount() == 1)
        #expect(try await table.context.pendingOperationsCount() == 1)
    }

    @Test("an insert of an existing row fails with -1150") func exists() async throws {
        let table = try Self.context()
        let row = try await table.insert(["text": "a"])
        let error = await #expect(throws: SyncError.self) { try await table.insert(["text": "b"], id: row.id) }
        #expect(error?.code.rawValue == -1150)
        #expect(try await table.read(id: row.id)?["text"] == "a")
    }

    @Test("insert and update collapse into one insert, and insert and delete cancel out")
    func insertThen() async throws {
        let table = try Self.context()
        let kept = try await table.insert(["text": "a"]).id
        try await table.update(kept, ["text": "b"])
        let gone = try await table.insert(["text": "c"]).id
        try await table.delete(gone)
        let queue = try await table.context.pendingOperations()
        #expect(queue.map(\.kind) == [.insert])
        #expect(queue.first?.itemID == kept)
        #expect(try await table.read(id: gone) == nil)
    }

    @Test("an unknown column is rejected, and the message suggests the most similar one") func unknown() async throws {
        let table = try Self.context()
        let error = await #expect(throws: SyncError.self) { try await table.insert(["text": "a", "completed": true]) }
        #expect(error?.code == .invalidItem)
        #expect(error?.message.contains("did you mean 'complete'?") == true)
        #expect(try await table.read().rows.isEmpty)
    }

    @Test("a value of another type is rejected, and date text in a text column stays text") func types()
        async throws
    {
        let table = try Self.context()
        let error = await #expect(throws: SyncError.self) {
            try await table.insert(["text": "a", "complete": "yes"])
        }
        #expect(error?.code == .invalidItem && error?.message.contains("'complete' must be a boolean") == true)
        try await table.insert(["text": "2026-12-24T18:00:00.000Z"])
    }

    @Test("an update or delete of a missing row fails with -1101") func missing() async throws {
        let table = try Self.context()
        for body in [{ _ = try await table.update(.random(), ["text": "x"]) }, { try await table.delete(.random()) }] {
            let error = await #expect(throws: SyncError.self) { try await body() }
            #expect(error?.code == .itemNotFound)
        }
    }

    @Test("queries filter, sort and page locally as on the server") func query() async throws {
        let table = try Self.context()
        for (text, priority) in [("Zebra", 1), ("Äpfel", 2), ("apple", 3), ("milk", 1)] {
            try await table.insert(["text": .string(text), "priority": .number(Double(priority))])
        }
        let sorted = try await table.read(Query().sort(by: "text")).rows.map { $0["text"]?.string }
        #expect(sorted == ["Äpfel", "apple", "milk", "Zebra"])
        let found = try await table.read(
            Query().where("priority == 1").sort(by: "text", descending: true).top(1).includeTotalCount()
        )
        #expect(found.rows.first?["text"] == "Zebra")
        #expect(found.totalCount == 2)
        let error = await #expect(throws: QueryProblem.self) { try await table.read(Query().where("txt == 'a'")) }
        #expect(error?.message.contains("did you mean 'text'?") == true)
    }
}
