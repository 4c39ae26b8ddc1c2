import Foundation
import GRDB
import Moments
import OAuth
import Storage
import Tables
import TablesClient
import TestSupport
import Testing

@testable import OfflineTables

@Suite("§2.7: the store", .timeLimit(.minutes(1)))
struct SQLiteSyncStoreTests {
    private func database(_ folder: StoreFolder) throws -> DatabaseQueue {
        try DatabaseQueue(path: folder.directory.path(SQLiteSyncStore.file))
    }

    @Test(
        "its tables have the guide's columns",
        arguments: [
            ("MS_TableOperations", ["id", "itemId", "properties", "table", "tableKind"]),
            ("MS_TableOperationErrors", ["id", "operationID", "properties", "tableKind"]),
            ("MS_TableConfig", ["id", "key", "keyType", "table", "value"]),
        ]
    ) func columns(_ table: String, _ columns: [String]) throws {
        let folder = try StoreFolder()
        try folder.open().close()
        let found = try database(folder).read { db in try db.columns(in: table) }
        #expect(found.map(\.name) == columns)
        let key = found.first { $0.name == "id" }?.type
        #expect(key == (table == "MS_TableOperationErrors" ? "TEXT" : "INTEGER"))
    }

    @Test("no migration step was edited, moved or removed, and every table is STRICT")
    func schema() throws {
        #expect(SyncSchema.steps.map(\.fingerprint) == ["4bdeeea5b798d1a6"])
        let folder = try StoreFolder()
        try folder.open().close()
        let lenient = try database(folder).read { db in
            try String.fetchAll(
                db,
                sql: """
                    SELECT name FROM pragma_table_list
                    WHERE type = 'table' AND strict = 0 AND name NOT LIKE 'sqlite%'
                    """
            )
        }
        #expect(lenient == [])
    }

    @Test("the first operation has number 1, and the next one is above the highest") func numbers() async throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        let context = try SyncContext(store, tables: [.todoitem])
        let table = try context.table("todoitem")
        let first = try await table.insert(["text": "a"]).id
        try await table.insert(["text": "b"])
        #expect(try await context.pendingOperations().map(\.id) == [1, 2])
        try await table.delete(first)
        try await table.insert(["text": "c"])
        #expect(try await context.pendingOperations().map(\.id) == [2, 3])
    }

    @Test("a sealed file contains no text of a row, but its times and version", arguments: [true, false])
    func sealed(_ isSealed: Bool) async throws {
        let folder = try StoreFolder(isSealed: isSealed)
        let store = try folder.open()
        let row = RemoteRow(
            id: try #require(RowID("row")),
            values: ["text": "planted secret"],
            version: RowVersion("AAAA"),
            createdAt: 1,
            updatedAt: 2
        )
        try await store.write { try $0.save(row, in: "todoitem") }
        let context = try SyncContext(store, tables: [.todoitem])
        try await context.table("todoitem").update(row.id, ["notes": "another secret"])
        try store.close()
        let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.directory.path(SQLiteSyncStore.file)))
        for secret in ["planted secret", "another secret"] {
            #expect((bytes.range(of: Data(secret.utf8)) == nil) == isSealed)
        }
        let read = try database(folder).read { db in
            try Row.fetchOne(db, sql: "SELECT id, ms_createdAt, ms_updatedAt, ms_version, ms_deleted FROM MS_TableRows")
        }
        let text: String? = read?["ms_version"]
        #expect(text == "AAAA")
        #expect(read?["ms_updatedAt"] == 2)
        #expect(try await folder.open().read { try $0.rows(in: "todoitem") }.first?["text"] == "planted secret")
    }

    @Test("all contents survive a restart") func restart() async throws {
        let folder = try StoreFolder()
        try await TestServer.run { server in
            let first = try folder.open()
            try await withDevice(server, first) { device in
                try await device.table.insert(["text": "a", "priority": 7])
                try await device.add("b")
                _ = await device.push()
                try await device.add("c")
            }
            try first.close()
            try await withDevice(server, folder.open()) { device in
                let texts = try await device.texts()
                #expect(texts == ["a", "b", "c"])
                #expect(try await device.context.errors().count == 1)
                #expect(try await device.context.pendingOperationsCount() == 2)
            }
        }
    }

    @Test("a store is rejected if its key differs, or if it is sealed and no key is given") func wrongKey() throws {
        let folder = try StoreFolder()
        try folder.open().close()
        let other = Secret(bytes: [UInt8](repeating: 8, count: 32))
        for key in [other, nil] {
            let error = #expect(throws: StoreError.self) {
                try SQLiteSyncStore(folder.directory, key: key, clock: .system)
            }
            #expect(error?.code == .wrongKey)
        }
    }

    @Test("a store of a newer version is rejected and unchanged") func newer() async throws {
        let folder = try StoreFolder()
        try folder.open().close()
        try await database(folder).write { try $0.execute(sql: "UPDATE schema_version SET version = 99") }
        let error = await #expect(throws: StoreError.self) {
            try await SQLiteSyncStore.rescuing(folder.directory, key: folder.key, clock: .system)
        }
        #expect(error?.code == .newerSchema)
    }

    @Test("a store of a version before 0.1.0 is rejected and unchanged, including its log") func older() async throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        let files = try ["", "-wal"].map { try folder.directory.path(SQLiteSyncStore.file) + $0 }
        try await database(folder).write { try $0.execute(sql: "UPDATE schema_version SET version = 3") }
        let before = try files.map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
        try store.close()
        for (file, bytes) in zip(files, before) { try bytes.write(to: URL(fileURLWithPath: file)) }
        for file in files { chmod(file, 0o600) }
        let error = await #expect(throws: StoreError.self) {
            try await SQLiteSyncStore.rescuing(folder.directory, key: folder.key, clock: .system)
        }
        #expect(error?.code == .olderSchema)
        #expect(try files.map { try Data(contentsOf: URL(fileURLWithPath: $0)) } == before)
    }

    @Test("a damaged store is set aside, never deleted, and replaced by a new one") func damaged() async throws {
        let folder = try StoreFolder()
        try folder.open().close()
        let path = try folder.directory.path(SQLiteSyncStore.file)
        try Data("no database at all".utf8).write(to: URL(fileURLWithPath: path))
        let (store, rescued) = try await SQLiteSyncStore.rescuing(folder.directory, key: folder.key, clock: .system)
        let aside = try #require(rescued)
        #expect(FileManager.default.fileExists(atPath: aside.damaged))
        #expect(aside.edits == nil)
        try store.close()
    }

    @Test("the pending edits of a damaged store are written to a file next to it") func exported() async throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        let table = try SyncContext(store, tables: [.todoitem]).table("todoitem")
        try await table.insert(["text": "kept"])
        try store.close()
        // The key check is read before anything else when a store is opened.
        try await database(folder).write { try $0.execute(sql: "UPDATE key_check SET sealed = x'00'") }
        let (new, rescued) = try await SQLiteSyncStore.rescuing(folder.directory, key: folder.key, clock: .system)
        let aside = try #require(rescued)
        #expect(aside.count == 1)
        let file = try #require(aside.edits)
        let json = try StrictJSON.parse(Data(contentsOf: URL(fileURLWithPath: file)))
        #expect(json.array?.first?["operation"] == "insert")
        #expect(json.array?.first?["item"]?["text"] == "kept")
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        try new.close()
    }

    @Test("two pushes of one store wait for each other") func turns() async throws {
        let folder = try StoreFolder()
        try await TestServer.run { server in
            try await withDevice(server, folder.open()) { one in
                try await withDevice(server, folder.open()) { two in
                    for number in 0..<20 { try await one.add("\(number)") }
                    async let first = one.context.push()
                    async let second = two.context.push()
                    #expect(try await first + second == 20)
                    #expect(server.requests.count == 20)
                    #expect(try await two.context.pendingOperationsCount() == 0)
                }
            }
        }
    }

    @Test("an edit during the copy of a store is copied too, and the old store then rejects edits in all processes")
    func moved() async throws {
        let (folder, folders) = (
            try StoreFolder(), [try StoreFolder(isSealed: false), try StoreFolder(isSealed: false)]
        )
        let (one, two) = (try folder.open(), try folder.open())
        let context = try SyncContext(two, tables: [.todoitem])
        let table = try context.table("todoitem")
        let first = try await table.insert(["text": "a"]).id
        let useless = try folders[0].open()
        let isWhole = try await one.move(to: useless) { try await table.update(first, ["text": "b"]) }
        #expect(!isWhole)
        let second = try await table.insert(["text": "c"]).id
        let new = try folders[1].open()
        #expect(try await one.move(to: new))
        let refused = await #expect(throws: StoreError.self) { try await table.insert(["text": "late"]) }
        #expect(refused?.code == .busy)
        let moved = try SyncContext(new, tables: [.todoitem])
        let rows = try await moved.table("todoitem").read(Query()).rows
        #expect(Dictionary(rows.map { ($0.id, $0.values["text"]) }) { $1 } == [first: "b", second: "c"])
        #expect(try await moved.pendingOperationsCount() == 2)
    }

    @Test(
        "a store with an interrupted move accepts edits again when opened, and a moved one does not"
    )
    func cutOff() async throws {
        let (folder, others) = (
            try StoreFolder(), [try StoreFolder(isSealed: false), try StoreFolder(isSealed: false)]
        )
        let store = try folder.open()
        let table = try SyncContext(store, tables: [.todoitem]).table("todoitem")
        #expect(try await store.move(to: try others[0].open()))
        let refused = await #expect(throws: StoreError.self) { try await table.insert(["text": "a"]) }
        #expect(refused?.code == .busy)
        try await folder.open().reopenAfterMove()
        try await table.insert(["text": "a"])
        #expect(try await store.move(to: try others[1].open()))
        try FileManager.default.removeItem(atPath: folder.directory.path(SQLiteSyncStore.file))
        let gone = await #expect(throws: StoreError.self) { try await store.reopenAfterMove() }
        #expect(gone?.code == .busy)
    }

    @Test("a sync waits until another one has released the lock") func exclusive() async throws {
        let folder = try StoreFolder()
        let (one, two) = (try folder.open(), try folder.open())
        let (inside, enter) = AsyncStream.makeStream(of: Void.self)
        let (leaving, leave) = AsyncStream.makeStream(of: Void.self)
        let first = Task {
            try await one.exclusively {
                enter.yield()
                for await _ in leaving { break }
                return ContinuousClock.now
            }
        }
        for await _ in inside { break }
        let second = Task { try await two.exclusively { ContinuousClock.now } }
        leave.yield()
        #expect(try await first.value <= second.value)
    }
}
