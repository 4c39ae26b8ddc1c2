import OfflineTables
import Tables
import TablesClient
import TestSupport
import Testing

/// Stops a client at each of its writes, before and after the commit, and then checks the client's store.
@Suite("A client that crashes", .timeLimit(.minutes(5)))
struct CrashTests {
    /// Prepares two clients for a sync.
    ///
    /// The second client has operations of every kind in its queue, and the first client has pushed newer changes.
    static func prepare(_ one: Device, _ two: Device) async throws {
        for text in ["edited", "deleted", "both", "news"] { try await one.add(text, id: text) }
        try await one.context.push()
        try await two.pull()
        try await two.table.update(#require(RowID("edited")), ["notes": "mine"])
        try await two.table.delete(#require(RowID("deleted")))
        try await two.table.update(#require(RowID("both")), ["notes": "mine"])
        try await two.add("new", id: "new")
        try await one.table.update(#require(RowID("both")), ["text": "theirs"])
        try await one.table.update(#require(RowID("news")), ["text": "newer"])
        try await one.add("another", id: "another")
        try await one.context.push()
    }

    @Test("keeps row and queue consistent, and loses nothing", arguments: [false, true], [1, 16])
    func everywhere(_ committed: Bool, _ atOnce: Int) async throws {
        var write = 1
        var died = true
        while died {
            try await TestServer.run { server in
                try await withDevice(server) { one in
                    let folder = try StoreFolder()
                    let first = try folder.open()
                    let store = BreakableStore(first)
                    try await withDevice(server, store) {
                        $0.conflicts = .fieldByField
                        $0.operationsAtOnce = atOnce
                    } _: { two in
                        try await Self.prepare(one, two)
                        store.breakAt(write: write, committed: committed)
                        _ = try? await two.pull()
                        died = store.isDead
                    }
                    try first.close()
                    try await Self.check(server, one, folder.open())
                }
            }
            write += 1
        }
        // If four operations are pushed one at a time, there is one write before them and one after each of them. The
        // pull makes further writes.
        #expect(write > (atOnce == 1 ? 7 : 4))
    }

    static func check(
        _ server: TestServer,
        _ one: Device,
        _ store: any SyncStore,
        _ comment: Comment? = nil
    ) async throws {
        try await withDevice(server, store) {
            $0.conflicts = .fieldByField
        } _: { two in
            let here = Set(try await two.table.read().rows.map(\.id.text))
            for operation in try await two.context.pendingOperations() {
                // The row of a pending insert or update exists, and the row of a pending deletion does not.
                #expect(here.contains(operation.itemID.text) == (operation.kind != .delete), comment)
            }
            #expect(await two.push() == nil, comment)
            try await two.pull()
            try await one.pull()
            for device in [one, two] {
                #expect(try await device.texts() == ["another", "edited", "new", "newer", "theirs"], comment)
                for id in ["edited", "both"] {
                    #expect(try await device.table.read(id: #require(RowID(id)))?["notes"] == "mine", comment)
                }
            }
            #expect(try await two.context.pendingOperationsCount() == 0, comment)
        }
    }

    @Test("in the middle of a local change keeps both row and operation, or neither", arguments: [false, true])
    func local(_ committed: Bool) async throws {
        let folder = try StoreFolder()
        let first = try folder.open()
        let store = BreakableStore(first)
        let table = try SyncContext(store, tables: [.todoitem]).table("todoitem")
        store.breakAt(write: 1, committed: committed)
        await #expect(throws: BreakableStore.Killed.self) { try await table.insert(["text": "a"]) }
        try first.close()
        let context = try SyncContext(folder.open(), tables: [.todoitem])
        let rows = try await context.table("todoitem").read().rows.count
        #expect(rows == (committed ? 1 : 0))
        #expect(try await context.pendingOperationsCount() == rows)
    }
}
