import Foundation
import GRDB
import OAuth
import Storage
import TestSupport
import Testing

@testable import DurableSQLite

/// A database with one table of sealed notes.
struct Notes {
    static let body = SealedColumn("notes", "body")
    static let migration = Migration(
        "notes",
        sql: "CREATE TABLE notes (id TEXT PRIMARY KEY NOT NULL, body BLOB NOT NULL) STRICT"
    )

    let folder: TemporaryFolder
    let sealing: Sealing
    let clock = TestClock()

    init(key: UInt8 = 1) throws {
        folder = try TemporaryFolder(isDurable: true)
        sealing = try Self.sealing(key)
    }

    static func sealing(_ byte: UInt8) throws -> Sealing {
        try Sealing(key: Secret(bytes: [UInt8](repeating: byte, count: 32)), purpose: "notes")
    }

    func open(
        _ migrations: [Migration] = [migration],
        sealing: Sealing? = nil,
        log: StatementLog? = nil,
        acceptsDamage: Bool = false,
        lines: LogLines? = nil
    ) throws -> DurableDatabase {
        var options = DurableDatabase.Options(
            directory: try StateDirectory(folder.path("state")),
            file: "notes.sqlite",
            migrations: migrations,
            sealing: sealing ?? self.sealing,
            clock: clock.clock
        )
        options.statements = log
        options.acceptsDamage = acceptsDamage
        options.logger = lines?.logger
        return try DurableDatabase(options)
    }

    func add(_ id: String, _ text: String, to database: DurableDatabase) async throws {
        try await database.write { [sealing] db in
            try db.run(
                "INSERT INTO notes (id, body) VALUES (:id, :body)",
                ["id": id, "body": try sealing.seal(text, as: Self.body, row: id)]
            )
        }
    }

    func text(_ id: String, in database: DurableDatabase) async throws -> String? {
        try await database.read { [sealing] db in
            try db.row("SELECT * FROM notes WHERE id = :id", ["id": id]).map { row in
                try sealing.open(String.self, try row.get("body"), as: Self.body, row: id)
            }
        }
    }
}

@Suite(.timeLimit(.minutes(1)))
struct DurableDatabaseTests {
    let notes: Notes

    init() throws {
        notes = try Notes()
    }

    @Test("the writer waits for the disk, overwrites deleted data and checks references") func pragmas() throws {
        let database = try notes.open()
        let values = try database.pool.writeWithoutTransaction { db in
            try ["synchronous", "journal_mode", "secure_delete", "foreign_keys"].map { name in
                try String.fetchOne(db, sql: "PRAGMA \(name)")
            }
        }
        #expect(values == ["2", "wal", "1", "1"])
    }

    @Test("every file is private") func privateFiles() async throws {
        let database = try notes.open()
        try await notes.add("a", "text", to: database)
        let folder = notes.folder.path("state")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        #expect(names == ["notes.sqlite", "notes.sqlite-shm", "notes.sqlite-wal"])
        for name in names {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
    }

    @Test("a database that other users can read is rejected") func readable() throws {
        try notes.open().close()
        let path = notes.folder.path("state/notes.sqlite")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        let error = #expect(throws: StoreError.self) { try notes.open() }
        #expect(error?.code == .permissions)
    }

    @Test("written data is present after the database is reopened") func durable() async throws {
        var database = try notes.open()
        try await notes.add("a", "text", to: database)
        try database.close()
        database = try notes.open()
        #expect(try await notes.text("a", in: database) == "text")
        #expect(try await database.check().isEmpty)
    }

    @Test("a closed database is one file, also after reads") func closed() async throws {
        let database = try notes.open()
        try await notes.add("a", "text", to: database)
        #expect(try await notes.text("a", in: database) == "text")
        try database.close()
        let files = try FileManager.default.contentsOfDirectory(atPath: notes.folder.path("state"))
        #expect(files == ["notes.sqlite"])
    }

    @Test("an unchanged log is truncated, unless there is a reader")
    func settled() async throws {
        let database = try notes.open()
        try await notes.add("a", "text", to: database)
        func size() throws -> Int {
            try FileManager.default.attributesOfItem(atPath: database.path + "-wal")[.size] as? Int ?? 0
        }
        await database.settle()
        #expect(try size() > 0)
        try await notes.add("b", "text", to: database)
        await database.settle()
        #expect(try size() > 0)
        let snapshot = try database.pool.makeSnapshot()
        #expect(try await snapshot.read { db in try db.number("SELECT count(*) FROM notes") } == 2)
        try await notes.add("c", "text", to: database)
        for _ in 0..<2 { await database.settle() }
        #expect(try size() > 0)
        #expect(try await snapshot.read { db in try db.number("SELECT count(*) FROM notes") } == 2)
        try snapshot.close()
        for _ in 0..<2 { await database.settle() }
        #expect(try size() == 0)
        try await notes.add("d", "text", to: database)
        for id in ["a", "b", "c", "d"] { #expect(try await notes.text(id, in: database) == "text") }
    }

    @Test("a file that is not a database is rejected together with its log, and both are preserved")
    func noDatabaseWithLog() async throws {
        let database = try notes.open()
        try await notes.add("a", "text", to: database)
        let (file, log) = (notes.folder.path("state/notes.sqlite"), notes.folder.path("state/notes.sqlite-wal"))
        let written = try Data(contentsOf: URL(fileURLWithPath: log))
        try database.close()
        let noise = Data(repeating: 1, count: 4096)
        for (path, bytes) in [(file, noise), (log, written)] {
            _ = FileManager.default.createFile(
                atPath: path,
                contents: bytes,
                attributes: [.posixPermissions: 0o600]
            )
        }
        let error = #expect(throws: StoreError.self) { try notes.open() }
        #expect(error?.code == .corrupt && error?.description.contains("is not a database") == true)
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == noise)
        #expect(try Data(contentsOf: URL(fileURLWithPath: log)) == written)
    }

    @Test("a different key is rejected by name and changes nothing") func wrongKey() async throws {
        let database = try notes.open()
        try await notes.add("a", "text", to: database)
        try await database.checkpoint()
        try database.close()
        let path = notes.folder.path("state/notes.sqlite")
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let other = try Notes.sealing(2)
        let error = #expect(throws: StoreError.self) { try notes.open(sealing: other) }
        #expect(error?.code == .wrongKey)
        #expect(error?.message.contains(notes.sealing.keyID) == true)
        #expect(error?.message.contains(other.keyID) == true)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }

    @Test("an invalid key is rejected") func noKey() {
        let error = #expect(throws: StoreError.self) { try Sealing(key: Secret("short"), purpose: "notes") }
        #expect(error?.code == .missingKey)
    }

    @Test("a newer schema is rejected and changes nothing") func newerSchema() async throws {
        let more = Migration("more", sql: "CREATE TABLE more (id TEXT PRIMARY KEY NOT NULL) STRICT")
        try notes.open([Notes.migration, more]).close()
        let error = #expect(throws: StoreError.self) { try notes.open() }
        #expect(error?.code == .newerSchema)
        try notes.open([Notes.migration, more]).close()
    }

    @Test(
        "a database of a version before 0.1.0 is rejected and preserved, with its log",
        arguments: [(1, true), (20, true), (20, false), (21, false), (23, false)]
    )
    func olderSchema(_ version: Int, _ hasMark: Bool) async throws {
        let database = try notes.open()
        try await notes.add("a", "text", to: database)
        try await database.write { db in
            try db.execute(sql: "UPDATE schema_version SET version = ?", arguments: [version])
            if !hasMark { try db.execute(sql: "PRAGMA application_id = 0") }
        }
        let files = ["", "-wal"].map { database.path + $0 }
        let before = try files.map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
        #expect(before.allSatisfy { !$0.isEmpty })
        try database.close()
        // A killed process leaves the files in this state.
        for (file, bytes) in zip(files, before) {
            let made = FileManager.default.createFile(
                atPath: file,
                contents: bytes,
                attributes: [.posixPermissions: 0o600]
            )
            #expect(made)
        }
        for migrations in [[Notes.migration], [Notes.migration, KilledDatabase.counter]] {
            let error = #expect(throws: StoreError.self) { try notes.open(migrations) }
            #expect(error?.code == .olderSchema)
            #expect(
                error?.message.hasPrefix("\(database.path) was written by a development version before 0.1.0") == true
            )
            #expect(error?.message.contains("(schema \(version))") == true)
        }
        #expect(try files.map { try Data(contentsOf: URL(fileURLWithPath: $0)) } == before)
    }

    @Test("a new schema step runs once over the existing data") func migrated() async throws {
        let database = try notes.open()
        try await notes.add("a", "text", to: database)
        try database.close()
        let more = Migration("more", sql: "ALTER TABLE notes ADD COLUMN more TEXT")
        for _ in 0..<2 {
            let database = try notes.open([Notes.migration, more])
            #expect(try await notes.text("a", in: database) == "text")
            try database.close()
        }
    }

    @Test("a file that is not a database, or belongs to another program, is rejected") func otherFile() throws {
        let directory = try StateDirectory(notes.folder.path("state"))
        try directory.makePrivateFile("notes.sqlite", Data(repeating: 7, count: 4096))
        let noise = #expect(throws: StoreError.self) { try notes.open() }
        #expect(noise?.code == .corrupt && noise?.message.hasSuffix("notes.sqlite is not a database.") == true)
        try FileManager.default.removeItem(atPath: directory.path("notes.sqlite"))
        let queue = try DatabaseQueue(path: directory.path("notes.sqlite"))
        try queue.write { try $0.execute(sql: "CREATE TABLE theirs (id INTEGER)") }
        try queue.close()
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600],
            ofItemAtPath: directory.path("notes.sqlite")
        )
        let error = #expect(throws: StoreError.self) { try notes.open() }
        #expect(error?.code == .unreadable)
    }

    @Test("a value that was moved to another row cannot be opened, and its row is set aside with one warning")
    func swapped() async throws {
        let lines = LogLines()
        let database = try notes.open(lines: lines)
        try await notes.add("a", "one", to: database)
        try await notes.add("b", "two", to: database)
        try await database.write { db in
            try db.run("UPDATE notes SET body = (SELECT body FROM notes WHERE id = 'a') WHERE id = 'b'")
        }
        #expect(try await notes.text("b", in: database) == nil)
        #expect(try await notes.text("a", in: database) == "one")
        let aside = try await database.read { db in
            try db.rows("SELECT * FROM damaged").map { "\($0["row_key"] as String)" }
        }
        #expect(aside == ["b"])
        #expect(
            lines.all == [
                "warning: a damaged row was set aside column=body database=\(database.path) table=notes"
            ]
        )
    }

    @Test("a database without its schema version is damaged, and not another program's") func lostVersion()
        async throws
    {
        let database = try notes.open()
        try await database.write { db in try db.run("DELETE FROM schema_version") }
        try database.close()
        #expect(#expect(throws: StoreError.self) { try notes.open() }?.code == .corrupt)
    }

    @Test("a value that opens but has the wrong type is preserved") func otherType() async throws {
        let database = try notes.open()
        try await database.write { [sealing = notes.sealing] db in
            try db.run(
                "INSERT INTO notes (id, body) VALUES ('a', :body)",
                ["body": try sealing.seal(["a", "list"], as: Notes.body, row: "a")]
            )
        }
        let error = await #expect(throws: StoreError.self) { try await notes.text("a", in: database) }
        #expect(error?.code == .corrupt)
        #expect(try await database.read { db in try db.number("SELECT count(*) FROM notes") } == 1)
        #expect(try await database.read { db in try db.number("SELECT count(*) FROM damaged") } == 0)
    }

    @Test("a full disk is reported, undoes the change, and preserves existing data") func full() async throws {
        let database = try notes.open()
        try await notes.add("a", "text", to: database)
        try await database.pool.writeWithoutTransaction { db in
            let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
            try db.execute(sql: "PRAGMA max_page_count = \(pages)")
        }
        let error = await #expect(throws: StoreError.self) {
            try await notes.add("b", String(repeating: "x", count: 100_000), to: database)
        }
        #expect(error?.code == .full)
        #expect(try await notes.text("a", in: database) == "text")
        #expect(try await notes.text("b", in: database) == nil)
    }

    @Test("a read-only database is reported") func readOnly() async throws {
        let database = try notes.open()
        try await database.pool.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA query_only = ON") }
        let error = await #expect(throws: StoreError.self) { try await notes.add("a", "text", to: database) }
        #expect(error?.code == .readOnly)
    }
}

@Suite(.timeLimit(.minutes(1)))
struct WriterTests {
    let notes: Notes

    init() throws {
        notes = try Notes()
    }

    @Test("a failing member of a group undoes only its own changes") func failingMember() async throws {
        let database = try notes.open()
        let failures = await withTaskGroup(of: Bool.self) { group in
            for index in 0..<200 {
                group.addTask { [notes] in
                    do {
                        try await database.write { [sealing = notes.sealing] db in
                            let id = "\(index)"
                            try db.run(
                                "INSERT INTO notes (id, body) VALUES (:id, :body)",
                                ["id": id, "body": try sealing.seal(id, as: Notes.body, row: id)]
                            )
                            if index % 7 == 0 { throw StoreError(.conflict, "planned") }
                        }
                        return false
                    } catch {
                        return true
                    }
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(failures == 29)
        #expect(try await database.read { db in try db.number("SELECT count(*) FROM notes") } == 171)
    }

    @Test("many simultaneous writers are committed in fewer transactions") func grouped() async throws {
        let log = StatementLog()
        let database = try notes.open(log: log)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<100 { group.addTask { [notes] in try await notes.add("\(index)", "x", to: database) } }
            try await group.waitForAll()
        }
        #expect(try await database.read { db in try db.number("SELECT count(*) FROM notes") } == 100)
        #expect(log.statements.contains("BEGIN IMMEDIATE"))
        #expect(log.statements.contains("COMMIT"))
    }

    @Test("a transaction that returns a value and is undone changes nothing") func undone() async throws {
        let database = try notes.open()
        let answer: Int = try await database.write { db in
            try db.run("INSERT INTO notes (id, body) VALUES ('a', X'00')")
            throw Undone(7)
        }
        #expect(answer == 7)
        #expect(try await database.read { db in try db.number("SELECT count(*) FROM notes") } == 0)
    }

    @Test("a write that fails after SQLite rolled back the transaction does not affect later ones") func givenUp()
        async throws
    {
        let database = try notes.open()
        async let lost: Void = database.write { db in
            try db.execute(sql: "ROLLBACK")
            throw StoreError(.failed, "planned")
        }
        do {
            try await lost
            Issue.record("a transaction that was given up is answered as if it were written")
        } catch {
            #expect((error as? StoreError)?.code == .failed, "\(error)")
        }
        try await notes.add("a", "text", to: database)
        #expect(try await notes.text("a", in: database) == "text")
    }

    @Test("a statement that scans a whole table is detected") func scans() async throws {
        let log = StatementLog()
        let database = try notes.open(log: log)
        _ = try await database.read { db in try db.rows("SELECT * FROM notes WHERE body = X'00'").count }
        #expect(try database.scans(in: log).contains { $0.contains("body = X'00'") })
        #expect(try database.scans(in: log, bounded: ["notes": 10]).isEmpty)
    }

    @Test(
        "a condition that is always true hides no scan",
        arguments: [
            "SELECT * FROM notes WHERE id > ''", "SELECT * FROM notes WHERE id = 'a' AND (:a IS NULL OR id = :a)",
        ]
    )
    func tricks(_ text: String) async throws {
        let log = StatementLog()
        let database = try notes.open(log: log)
        _ = try await database.read { db in
            try Row.fetchAll(db, sql: text, arguments: text.contains(":a") ? ["a": nil] : [:]).count
        }
        #expect(try database.scans(in: log, bounded: ["notes": 10]) == [text])
    }
}
