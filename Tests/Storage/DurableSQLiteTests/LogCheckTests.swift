import Foundation
import GRDB
import Storage
import TestSupport
import Testing

@testable import DurableSQLite

/// The database files that a killed process leaves behind.
struct KilledDatabase {
    let database: Data
    let log: Data
    /// The ids and lengths of the acknowledged rows, in alphabetical order.
    let rows: [String]

    static let file = "notes.sqlite"

    /// Creates a database in several transactions and copies its files while it is open.
    static func make(seed: UInt64, checkpointed: Bool) async throws -> KilledDatabase {
        var random = SeededGenerator(seed: seed)
        let notes = try Notes()
        let database = try notes.open([Notes.migration, counter])
        var rows: [String] = []
        for index in 0..<48 {
            let length = Int.random(in: 1...2500, using: &random)
            // After this checkpoint, the log is overwritten from its beginning, and some of the older frames remain.
            if checkpointed, index == 30 {
                try await database.pool.writeWithoutTransaction {
                    try $0.execute(sql: "PRAGMA wal_checkpoint(RESTART)")
                }
            }
            try await database.write { db in
                try db.run(
                    "INSERT INTO notes (id, body) VALUES (:id, :body)",
                    ["id": "\(index)", "body": Data(repeating: UInt8(index), count: length)]
                )
                try db.run("UPDATE counter SET value = value + 1")
            }
            rows.append("\(index) \(length)")
        }
        let path = database.path
        return KilledDatabase(
            database: try Data(contentsOf: URL(fileURLWithPath: path)),
            log: try Data(contentsOf: URL(fileURLWithPath: path + "-wal")),
            rows: rows.sorted()
        )
    }

    static let counter = Migration(
        "counter",
        sql: """
            CREATE TABLE counter (id INTEGER PRIMARY KEY NOT NULL, value INTEGER NOT NULL) STRICT;
            INSERT INTO counter (id, value) VALUES (1, 0);
            """
    )

    /// Writes the database and this log into the folder of `notes`.
    func put(_ log: Data, into notes: Notes) throws {
        let directory = try StateDirectory(notes.folder.path("state"))
        try directory.makePrivateFile(Self.file, database)
        try directory.makePrivateFile(Self.file + "-wal", log)
    }

    /// Opens the database with this log, and returns the outcome.
    func open(_ log: Data) async throws -> Outcome {
        let notes = try Notes()
        try put(log, into: notes)
        let path = notes.folder.path("state/\(Self.file)")
        do {
            let opened = try notes.open([Notes.migration, Self.counter])
            let rows = try await opened.read { db in
                try db.rows("SELECT id, length(body) AS size FROM notes").map { row in
                    "\(row["id"] as String) \(row["size"] as Int)"
                }
            }
            let count = try await opened.read { db in try db.number("SELECT value FROM counter") }
            let faults = try await opened.check()
            try opened.close()
            return .opened(rows: rows.sorted(), count: Int(count), faults: faults)
        } catch let error as StoreError {
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == database)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path + "-wal")) == log)
            return .refused(error)
        }
    }

    enum Outcome {
        case opened(rows: [String], count: Int, faults: [String])
        case refused(StoreError)
    }
}

/// The kinds of damage to bytes on a disk.
enum Accident: String, CaseIterable {
    case inverted
    case noise
    case zeros
    case bit

    func happens(to log: Data, at place: Int, _ random: inout SeededGenerator) -> Data {
        var log = log
        switch self {
        case .bit: log[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case .inverted: for index in place..<min(log.count, place + 512) { log[index] ^= 0xFF }
        case .zeros: for index in place..<min(log.count, place + 512) { log[index] = 0 }
        case .noise:
            for index in place..<min(log.count, place + 512) { log[index] = UInt8.random(in: 0...255, using: &random) }
        }
        return log
    }
}

@Suite(.timeLimit(.minutes(3)))
struct LogCheckTests {
    /// The size in bytes of a frame, which consists of a header and a page.
    private static let frame = 24 + 4096

    @Test(
        "a damaged log is rejected unchanged, or at most the last two changes are missing",
        arguments: Accident.allCases,
        [false, true]
    )
    func anywhere(_ accident: Accident, checkpointed: Bool) async throws {
        let killed = try await KilledDatabase.make(seed: 7, checkpointed: checkpointed)
        var random = SeededGenerator(seed: 11)
        var (opened, refused) = (0, 0)
        for _ in 0..<48 {
            let place = Int.random(in: 0..<killed.log.count, using: &random)
            switch try await killed.open(accident.happens(to: killed.log, at: place, &random)) {
            case .refused(let error):
                #expect(error.code == .damagedLog, "\(place): \(error)")
                refused += 1
            case .opened(let rows, let count, let faults):
                #expect(faults.isEmpty, "\(place): \(faults)")
                #expect(count == rows.count, "\(place)")
                #expect(rows.count >= killed.rows.count - 2, "\(place): \(rows.count) rows")
                #expect(Set(rows).isSubset(of: killed.rows), "\(place)")
                opened += 1
            }
        }
        #expect(refused > 0 && (opened > 0 || !checkpointed), "\(opened) opened, \(refused) refused")
    }

    @Test("a damaged header is rejected, because SQLite would read nothing after it", arguments: Accident.allCases)
    func header(_ accident: Accident) async throws {
        let killed = try await KilledDatabase.make(seed: 3, checkpointed: false)
        var random = SeededGenerator(seed: 5)
        let log = accident.happens(to: killed.log, at: 8, &random).prefix(32) + killed.log.dropFirst(32)
        guard case .refused(let error) = try await killed.open(Data(log)) else {
            Issue.record("it was opened")
            return
        }
        #expect(error.message.contains("notes.sqlite-wal is damaged: its header"), "\(error.message)")
    }

    @Test("damage in the middle is rejected with its position, and nothing changes", arguments: Accident.allCases)
    func middle(_ accident: Accident) async throws {
        let killed = try await KilledDatabase.make(seed: 3, checkpointed: false)
        var random = SeededGenerator(seed: 5)
        let place = (killed.log.count - 32) / Self.frame / 2
        // SQLite stores the cells at the end of a page, so damage 512 bytes before the end affects a cell.
        let log = accident.happens(to: killed.log, at: 32 + (place + 1) * Self.frame - 512, &random)
        guard case .refused(let error) = try await killed.open(log) else {
            Issue.record("it was opened")
            return
        }
        #expect(error.message.contains("page \(place + 1) of "), "\(error.message)")
        #expect(error.message.contains("acknowledged changes follow it. Nothing was changed"))
    }

    @Test("a torn last transaction loses no acknowledged data, wherever it is torn") func torn() async throws {
        let killed = try await KilledDatabase.make(seed: 9, checkpointed: false)
        let last = killed.log.count - Self.frame
        for end in [last + 8, last + 24, last + 2048, killed.log.count - 1] {
            let kinds = [killed.log.prefix(end), killed.log.prefix(end) + Data(count: killed.log.count - end)]
            for log in kinds {
                guard case .opened(let rows, _, let faults) = try await killed.open(Data(log)) else {
                    Issue.record("\(end) was refused")
                    continue
                }
                #expect(rows.count == killed.rows.count - 1 && faults.isEmpty)
            }
        }
    }

    @Test("frames of an earlier use of the file are accepted") func leftover() async throws {
        let killed = try await KilledDatabase.make(seed: 3, checkpointed: true)
        let salts = (0..<(killed.log.count - 32) / Self.frame).map { place in
            killed.log.dropFirst(32 + place * Self.frame + 8).prefix(8)
        }
        #expect(Set(salts).count > 1, "the file was used twice")
        guard case .opened(let rows, _, let faults) = try await killed.open(killed.log) else {
            Issue.record("it was refused")
            return
        }
        #expect(rows == killed.rows && faults.isEmpty)
    }

    @Test("frames of a failed transaction after a shorter one are accepted", arguments: [false, true])
    func failed(isCommitted: Bool) async throws {
        let killed = try await KilledDatabase.make(seed: 9, checkpointed: false)
        guard case .opened(let rows, _, let faults) = try await killed.open(try failed(killed.log, isCommitted)) else {
            Issue.record("it was refused")
            return
        }
        #expect(rows == killed.rows && faults.isEmpty)
    }

    /// Returns the log followed by the remaining frames of a failed transaction.
    ///
    /// The failed transaction was longer than the log's last transaction, which has overwritten its beginning.
    private func failed(_ log: Data, _ isCommitted: Bool) throws -> Data {
        try log.withUnsafeBytes { raw in
            let header = try #require(LogHeader(raw))
            let starts = (0..<(log.count - 32) / Self.frame).map { 32 + $0 * Self.frame }
            let last = try #require(starts.last)
            let before = try #require(starts.dropLast().last { raw.word($0 + 4) != 0 })
            let page = raw[(last + 24)...].map { $0 ^ 0xFF }
            let written = starts.count { $0 > before }
            var sum = LogChecksum(first: raw.word(before + 16), second: raw.word(before + 20))
            var older: [[UInt8]] = []
            for index in 1...written + 4 {
                let commit = isCommitted && index == written + 4 ? raw.word(last + 4) : 0
                let content = bytes([raw.word(last), commit]) + page
                sum = content.withUnsafeBytes { header.order.sum(sum, $0, 0..<content.count) }
                older.append(
                    bytes([raw.word(last), commit, header.salt.first, header.salt.second, sum.first, sum.second]) + page
                )
            }
            return log + Data(older.dropFirst(written).joined())
        }
    }

    private func bytes(_ words: [UInt32]) -> [UInt8] {
        words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) } }
    }

    @Test("a log of zeros only, or shorter than a header, is empty", arguments: [0, 31, 32, 5000])
    func empty(_ size: Int) async throws {
        let killed = try await KilledDatabase.make(seed: 3, checkpointed: true)
        guard case .opened(let rows, _, let faults) = try await killed.open(Data(count: size)) else {
            Issue.record("it was refused")
            return
        }
        #expect(rows.count == 30 && faults.isEmpty)
    }

    @Test("accepting damage loses the data after it, and nothing before it") func accepted() async throws {
        let killed = try await KilledDatabase.make(seed: 3, checkpointed: false)
        var log = killed.log
        log[32 + (log.count - 32) / Self.frame / 2 * Self.frame + 1024] ^= 1
        let notes = try Notes()
        try killed.put(log, into: notes)
        let opened = try notes.open([Notes.migration, KilledDatabase.counter], acceptsDamage: true)
        let count = try await opened.read { try $0.number("SELECT count(*) FROM notes") }
        #expect(count > 0 && count < killed.rows.count)
        #expect(try await opened.check().isEmpty)
    }

    @Test("a database that this process has already open is opened again with its log unchanged") func twice()
        async throws
    {
        let notes = try Notes()
        let first = try notes.open()
        try await notes.add("a", "text", to: first)
        let log = try FileHandle(forUpdating: URL(fileURLWithPath: first.path + "-wal"))
        try log.write(contentsOf: Data(repeating: 0xFF, count: 32))
        try log.close()
        #expect(try await notes.text("a", in: notes.open()) == "text")
    }

    @Test("while another process has a database open, its log is not checked") func foreign() async throws {
        let killed = try await KilledDatabase.make(seed: 3, checkpointed: false)
        let notes = try Notes()
        var log = killed.log
        for index in 0..<32 { log[index] ^= 0xFF }
        try killed.put(log, into: notes)
        let path = notes.folder.path("state/\(KilledDatabase.file)")
        // The Python process takes the lock that SQLite takes in every process that has a database open.
        let reader = Process()
        reader.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        reader.arguments = [
            "-c",
            """
            import fcntl, os, sys
            f = open(sys.argv[1], "r+b")
            fcntl.lockf(f, fcntl.LOCK_SH | fcntl.LOCK_NB, 510, 0x40000002)
            sys.stdout.write("h")
            sys.stdout.flush()
            sys.stdin.read()
            """, path,
        ]
        let (input, output) = (Pipe(), Pipe())
        reader.standardInput = input
        reader.standardOutput = output
        try reader.run()
        #expect(try output.fileHandleForReading.read(upToCount: 1) == Data("h".utf8))
        #expect(!DurableDatabase.hasDamagedLog(path))
        try input.fileHandleForWriting.close()
        reader.waitUntilExit()
        #expect(DurableDatabase.hasDamagedLog(path))
        #expect(try Data(contentsOf: URL(fileURLWithPath: path + "-wal")) == log)
    }
}
