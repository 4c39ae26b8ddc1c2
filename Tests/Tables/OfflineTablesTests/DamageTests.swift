import Foundation
import OAuth
import Storage
import Tables
import TablesClient
import TestSupport
import Testing

@testable import OfflineTables

/// Tests stores in which one page is overwritten with noise.
///
/// As soon as any statement finds the damage, the store must be set aside and the readable part of its queue saved.
@Suite("A damaged store", .timeLimit(.minutes(5)))
struct DamageTests {
    /// Fills a store with rows, pending edits of every kind and a conflict, and returns the pending operations.
    ///
    /// The store is closed, so that everything is in its file.
    private static func filled(_ folder: StoreFolder) async throws -> [TableOperation] {
        var pending: [TableOperation] = []
        try await TestServer.run { server in
            try await withDevice(server) { one in
                let store = try folder.open()
                try await withDevice(server, store) { two in
                    for number in 0..<90 { try await one.add("Row \(number)", id: "row-\(number)") }
                    try await one.context.push()
                    try await two.pull()
                    let both = try #require(RowID("row-0"))
                    try await one.table.update(both, ["text": "theirs"])
                    try await one.context.push()
                    try await two.table.update(both, ["text": "mine"])
                    #expect(await two.push()?.code == .pushCompleteWithErrors)
                    for number in 1..<15 {
                        try await two.table.update(
                            #require(RowID("row-\(number)")),
                            ["notes": .string("Note \(number)")]
                        )
                        try await two.table.delete(#require(RowID("row-\(number + 20)")))
                        try await two.add("New \(number)", id: "new-\(number)")
                    }
                    pending = try await two.context.pendingOperations()
                }
                try store.close()
            }
        }
        return pending
    }

    /// Reads and writes every table of a store.
    private static func use(_ store: SQLiteSyncStore) async throws {
        let context = try SyncContext(store, tables: [.todoitem])
        let table = try context.table("todoitem")
        _ = try await table.read()
        _ = try await context.errors()
        _ = try await context.pendingOperations()
        for number in 0..<12 {
            let id = try #require(RowID("use-\(number)"))
            try await table.insert(["text": .string(String(repeating: "x", count: 200))], id: id)
        }
        for operation in try await context.pendingOperations() where operation.kind != .delete {
            try await table.delete(operation.itemID)
        }
        try await store.write { transaction in
            try transaction.set(.query, "use", of: "todoitem", to: String(repeating: "x", count: 200))
            try transaction.removeSettings(.deltaToken, of: "todoitem")
        }
    }

    private static func noise(_ count: Int, _ seed: UInt64) -> [UInt8] {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        return (0..<count).map { _ in
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return UInt8(truncatingIfNeeded: state >> 32)
        }
    }

    @Test(
        "a store with a page of noise is set aside and created again, and the readable edits are saved",
        arguments: [true, false]
    )
    func everyPage(isSealed: Bool) async throws {
        let model = try StoreFolder(isSealed: isSealed)
        let pending = try await Self.filled(model)
        #expect(pending.count == 43)
        let path = try model.directory.path(SQLiteSyncStore.file)
        #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let pages = bytes.count / 4096
        #expect(pages >= 19)
        var shown = 0
        var lost: [Int] = []
        for page in 0..<pages {
            let folder = try StoreFolder(isSealed: isSealed)
            var damaged = bytes
            damaged.replaceSubrange(page * 4096..<(page + 1) * 4096, with: Self.noise(4096, UInt64(page + 1)))
            try folder.directory.makePrivateFile(SQLiteSyncStore.file, damaged)
            guard let (rescued, hasChanged) = try await rescued(folder, "page \(page + 1)") else { continue }
            shown += 1
            let json = try rescued.edits.map { try StrictJSON.parse(Data(contentsOf: URL(fileURLWithPath: $0))) }
            let saved = json?.array?.compactMap { SavedEdit(json: $0) } ?? []
            #expect(saved.count == rescued.count, "page \(page + 1)")
            // If the store was changed before the damage was found, the queue contains these changes too.
            if !hasChanged { #expect(saved.count + rescued.lost == pending.count, "page \(page + 1): \(rescued)") }
            // The test's use of the store does not change the pending deletions.
            let deletions = pending.filter { $0.kind == .delete }
            let missing = deletions.filter { deletion in !saved.contains { $0.id == deletion.itemID } }
            #expect(missing.count <= rescued.lost, "page \(page + 1): \(rescued)")
            // Damage to the root page can lose all rows. Damage to any other page can lose only some rows.
            lost.append(rescued.lost)
            for edit in saved where !edit.id.text.hasPrefix("use-") {
                let known = pending.contains { $0.itemID == edit.id && ($0.kind == edit.kind || hasChanged) }
                #expect(known, "page \(page + 1): \(edit)")
                if edit.kind == .insert { #expect(edit.item?["text"]?.string?.hasPrefix("New ") == true) }
            }
        }
        #expect(lost.filter { $0 > 24 }.count <= 1, "\(lost)")
        print("noise: it showed in \(shown) of \(pages) pages")
        #expect(shown >= pages - 2)
    }

    /// Opens and uses a store, and sets a damaged store aside.
    ///
    /// Returns `nil` if no damage was found.
    private func rescued(_ folder: StoreFolder, _ comment: Comment) async throws -> (StoreRescue, hasChanged: Bool)? {
        let clock = TestClock().clock
        let opened = try await SQLiteSyncStore.rescuing(folder.directory, key: folder.key, clock: clock)
        var rescued = opened.rescued
        do {
            try await Self.use(opened.store)
            #expect(!opened.store.isDamaged, comment)
            try opened.store.close()
            return rescued.map { ($0, false) }
        } catch let error as StoreError {
            #expect(error.code == .corrupt && opened.store.isDamaged && rescued == nil, comment)
            rescued = try await opened.store.setAside(key: folder.key, clock: clock)
        }
        let aside = try #require(rescued, comment)
        #expect(FileManager.default.fileExists(atPath: aside.damaged), comment)
        let new = try folder.open()
        try await Self.use(new)
        #expect(!new.isDamaged, comment)
        try new.close()
        return (aside, opened.store.hasChanged)
    }

    @Test("edits that exist only in the log are saved if the first page is damaged", arguments: [false, true])
    func log(isLogDamaged: Bool) async throws {
        let folder = try StoreFolder()
        let pending = try await Self.filled(folder)
        let store = try folder.open()
        let table = try SyncContext(store, tables: [.todoitem]).table("todoitem")
        for number in 0..<2 { try await table.insert(["text": "late"], id: RowID("late-\(number)")) }
        // These are the files that a process leaves if it ends without closing the store.
        let copy = try StoreFolder()
        for suffix in ["", "-wal"] {
            let path = try folder.directory.path(SQLiteSyncStore.file + suffix)
            var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            if suffix.isEmpty { bytes.replaceSubrange(0..<4096, with: Self.noise(4096, 1)) }
            if !suffix.isEmpty, isLogDamaged { bytes[bytes.count - 100] ^= 0xFF }
            try copy.directory.makePrivateFile(SQLiteSyncStore.file + suffix, bytes)
        }
        try store.close()
        let clock = TestClock().clock
        let (new, rescued) = try await SQLiteSyncStore.rescuing(copy.directory, key: copy.key, clock: clock)
        try new.close()
        let edits = try #require(rescued?.edits)
        let json = try StrictJSON.parse(Data(contentsOf: URL(fileURLWithPath: edits)))
        let saved = json.array?.compactMap { SavedEdit(json: $0) } ?? []
        #expect(saved.count >= pending.count + (isLogDamaged ? 1 : 2))
        #expect(saved.contains { $0.id.text == "late-0" })
    }

    @Test("if two processes find the damage, one sets the store aside and the other uses the new one")
    func twice() async throws {
        let folder = try StoreFolder()
        _ = try await Self.filled(folder)
        let clock = TestClock().clock
        let (one, two) = (try folder.open(), try folder.open())
        #expect(try await one.setAside(key: folder.key, clock: clock)?.count == 43)
        let new = try folder.open()
        // An edit that comes too late to be saved is rejected, not lost.
        let table = try SyncContext(two, tables: [.todoitem]).table("todoitem")
        let late = await #expect(throws: StoreError.self) { try await table.insert(["text": "late"]) }
        #expect(late?.code == .busy)
        #expect(try await two.setAside(key: folder.key, clock: clock) == nil)
        try await Self.use(new)
        try new.close()
    }

    @Test("a saved edit reads back unchanged, and other JSON is rejected", arguments: TableOperation.Kind.allCases)
    func savedEdit(_ kind: TableOperation.Kind) throws {
        let id = try #require(RowID("a"))
        var operation = TableOperation(kind, of: id, in: "todoitem")
        operation.base = ["text": "before", "notes": "same"]
        let edit = SavedEdit(operation, RemoteRow(id: id, values: ["text": "after", "notes": "same"]))
        #expect(SavedEdit(json: edit.json) == edit)
        #expect(edit.changed == ["text"])
        for json in [
            ["id": "a", "text": "a task"],
            ["table": "todoitem", "operation": kind.rawValue == 2 ? "none" : kind.word, "id": "a"].json,
        ] as [JSONValue] {
            #expect(SavedEdit(json: json) == nil)
        }
    }
}

extension [String: String] {
    fileprivate var json: JSONValue { .object(mapValues { .string($0) }) }
}
