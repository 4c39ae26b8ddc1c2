import Foundation
import GRDB
import Storage
import Synchronization
import TestSupport
import Testing

@testable import DurableSQLite

@Suite(.timeLimit(.minutes(1)))
struct NearReadersTests {
    let notes: Notes

    init() throws {
        notes = try Notes()
    }

    private static func count(_ db: Database) throws -> Int64 {
        try db.number("/* test */ SELECT count(*) FROM notes")
    }

    @Test("when all connections are in use a read runs on another one without waiting") func taken() async throws {
        let database = try notes.open()
        try await notes.add("a", "text", to: database)
        let isOver = Mutex(false)
        let held = Mutex(0)
        for _ in 0..<InlineReaders.most {
            Thread.detachNewThread {
                // Each thread holds one connection until the test is over or the wait times out.
                try? blockUntil("a connection was free") {
                    try database.readIfFree { db in
                        _ = try Self.count(db)
                        held.withLock { $0 += 1 }
                        try blockUntil("the test was over") { isOver.withLock { $0 } }
                        return true
                    } ?? false
                }
            }
        }
        try await waitUntil("all connections are in use") { held.withLock { $0 } == InlineReaders.most }
        defer { isOver.withLock { $0 = true } }
        #expect(try database.readIfFree(Self.count) == nil)
        #expect(try database.readIfFree(isOneStatement: true, Self.count) == nil)
        #expect(try database.readInline(Self.count) == 1)
        #expect(try await database.find(Self.count) == 1)
        isOver.withLock { $0 = true }
        try await waitUntil("a connection is free again") { try database.readIfFree(Self.count) == 1 }
    }

    @Test("more callers than connections of either kind all get their results, beside a writer")
    func manyCallers() async throws {
        let database = try notes.open()
        try await notes.add("first", "text", to: database)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<16 * (InlineReaders.most + DurableDatabase.readers) {
                group.addTask {
                    for turn in 0..<8 {
                        let count =
                            switch (number + turn) % 4 {
                            case 0: try await database.find(Self.count)
                            case 1: try await database.read(Self.count)
                            case 2: try database.readInline(Self.count)
                            default: try database.readIfFree(Self.count) ?? 1
                            }
                        #expect(count >= 1)
                    }
                    if number % 8 == 0 { try await notes.add("\(number)", "text", to: database) }
                }
            }
            try await group.waitForAll()
        }
        // Every kind of read sees all acknowledged rows: the first row, and one row for every eighth task.
        let expected = Int64(1 + 2 * (InlineReaders.most + DurableDatabase.readers))
        #expect(try await database.find(Self.count) == expected)
        #expect(try await database.read(Self.count) == expected)
        #expect(try database.readInline(Self.count) == expected)
    }

    @Test("a read connection never writes") func writing() async throws {
        let database = try notes.open()
        let free = #expect(throws: StoreError.self) {
            try database.readIfFree { db in try db.execute(sql: "/* test */ DELETE FROM notes") }
        }
        let found = await #expect(throws: StoreError.self) {
            try await database.find { db in try db.execute(sql: "/* test */ DELETE FROM notes") }
        }
        #expect(free?.code == .readOnly && found?.code == .readOnly)
    }

    @Test("a closed database rejects reads, and is one file") func closed() async throws {
        let database = try notes.open()
        try await notes.add("a", "text", to: database)
        #expect(try await database.find(Self.count) == 1)
        #expect(try database.readInline(Self.count) == 1)
        try database.close()
        let inline = #expect(throws: StoreError.self) { try database.readInline(Self.count) }
        #expect(inline?.code == .failed && inline?.message == "\(database.path) has already been closed.")
        #expect(try database.readIfFree(Self.count) == nil)
        let found = await #expect(throws: StoreError.self) { try await database.find(Self.count) }
        #expect(found?.code == .failed && found?.message.contains("closed") == true)
        let files = try FileManager.default.contentsOfDirectory(atPath: notes.folder.path("state"))
        #expect(files == ["notes.sqlite"])
    }

    @Test("a row that cannot be opened is set aside by the read that finds it") func damaged() async throws {
        let database = try notes.open()
        try await notes.add("a", "text", to: database)
        try await database.write { db in try db.run("/* test */ UPDATE notes SET body = x'00'", [:]) }
        let text = try await database.find { [sealing = notes.sealing] db in
            try db.row("SELECT * FROM notes WHERE id = :id", ["id": "a"]).map { row in
                try sealing.open(String.self, try row.get("body"), as: Notes.body, row: "a")
            }
        }
        #expect(text == nil)
        #expect(try database.readInline { db in try db.number("/* test */ SELECT count(*) FROM damaged") } == 1)
    }
}
