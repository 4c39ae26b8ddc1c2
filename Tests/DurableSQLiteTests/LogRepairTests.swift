import Foundation
import GRDB
import Storage
import TestSupport
import Testing

@testable import DurableSQLite

/// The files of a database as they are found after its process was killed.
struct KilledDatabase {
    let database: Data
    let log: Data
    /// The rows, as they were acknowledged one after the other.
    let rows: [String]

    static let file = "notes.sqlite"

    /// Makes a database in one transaction after the other and takes its files while it is open.
    static func make(seed: UInt64, checkpointed: Bool) async throws -> KilledDatabase {
        var random = SeededGenerator(seed: seed)
        let notes = try Notes()
        let database = try notes.open([Notes.migration, counter])
        var rows: [String] = []
        for index in 0..<48 {
            let length = Int.random(in: 1...2500, using: &random)
            // The file is used anew from its beginning on, over what stands there already.
            if checkpointed, index == 20 { try await database.checkpoint() }
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

    /// Puts the files, with this log, into the folder of `notes`.
    func put(_ log: Data, into notes: Notes) throws {
        let directory = try StateDirectory(notes.folder.path("state"))
        try directory.makePrivateFile(Self.file, database)
        try directory.makePrivateFile(Self.file + "-wal", log)
    }

    /// Opens the files, with this log, and says what came of it.
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
            let names = try FileManager.default.contentsOfDirectory(atPath: notes.folder.path("state")).sorted()
            return .opened(
                rows: rows.sorted(),
                count: Int(count),
                faults: faults,
                report: opened.logReport,
                names: names
            )
        } catch let error as StoreError {
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == database)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path + "-wal")) == log)
            return .refused(error)
        }
    }

    enum Outcome {
        case opened(rows: [String], count: Int, faults: [String], report: LogReport?, names: [String])
        case refused(StoreError)
    }
}

/// What may happen to bytes of a disk.
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
struct LogRepairTests {
    @Test(
        "wherever a log is damaged, everything is there, or it is refused and nothing changes: at most the end is lost",
        arguments: Accident.allCases,
        [false, true]
    )
    func anywhere(_ accident: Accident, checkpointed: Bool) async throws {
        let killed = try await KilledDatabase.make(seed: 7, checkpointed: checkpointed)
        var random = SeededGenerator(seed: 11)
        var (whole, refused, mended) = (0, 0, 0)
        for _ in 0..<48 {
            let place = Int.random(in: 0..<killed.log.count, using: &random)
            let log = accident.happens(to: killed.log, at: place, &random)
            switch try await killed.open(log) {
            case .refused(let error):
                #expect(error.code == .corrupt, "\(place): \(error)")
                #expect(error.message.contains("-wal is damaged"), "\(place): \(error)")
                refused += 1
            case .opened(let rows, let count, let faults, let report, let names):
                #expect(faults.isEmpty, "\(place): \(faults)")
                #expect(count == rows.count, "\(place)")
                #expect(rows.count >= killed.rows.count - 1, "\(place): \(rows.count) rows")
                #expect(Set(rows).isSubset(of: killed.rows), "\(place)")
                if rows == killed.rows { whole += 1 }
                if let report {
                    #expect(rows.count == killed.rows.count, "\(place)")
                    #expect(names.contains { report.keptAs.hasSuffix($0) }, "\(names)")
                    mended += 1
                } else {
                    #expect(names == [KilledDatabase.file], "\(names)")
                }
            }
        }
        #expect(whole > 0 && refused > 0 && mended > 0, "\(whole) whole, \(refused) refused, \(mended) mended")
    }

    @Test("a log whose header is damaged is read as if it were not", arguments: Accident.allCases)
    func header(_ accident: Accident) async throws {
        let killed = try await KilledDatabase.make(seed: 3, checkpointed: false)
        var random = SeededGenerator(seed: 5)
        let damaged = accident.happens(to: killed.log, at: 8, &random)
        let log = damaged.prefix(32) + killed.log.dropFirst(32)
        guard case .opened(let rows, _, let faults, let report, _) = try await killed.open(log) else {
            Issue.record("it was refused")
            return
        }
        #expect(rows == killed.rows && faults.isEmpty)
        #expect(report?.damagedPages == 0)
    }

    @Test("a torn last transaction is nobody's loss, wherever it is torn") func torn() async throws {
        let killed = try await KilledDatabase.make(seed: 9, checkpointed: false)
        let last = killed.log.count - 4120
        for end in [last + 8, last + 24, last + 2048, killed.log.count - 1] {
            let kinds = [killed.log.prefix(end), killed.log.prefix(end) + Data(count: killed.log.count - end)]
            for log in kinds {
                guard case .opened(let rows, _, let faults, let report, _) = try await killed.open(Data(log)) else {
                    Issue.record("\(end) was refused")
                    continue
                }
                #expect(rows.count == killed.rows.count - 1 && faults.isEmpty && report == nil)
            }
        }
    }

    @Test("what a failed transaction left behind a shorter one is never taken for changes", arguments: [false, true])
    func leftOver(isCommitted: Bool) async throws {
        let killed = try await KilledDatabase.make(seed: 9, checkpointed: false)
        switch try await killed.open(try leftOver(killed.log, isCommitted: isCommitted)) {
        case .refused(let error):
            #expect(isCommitted && error.code == .corrupt)
            #expect(error.message.contains("which may or may not have been acknowledged"), "\(error.message)")
        case .opened(let rows, _, let faults, let report, _):
            #expect(!isCommitted && rows == killed.rows && faults.isEmpty && report == nil)
        }
    }

    /// A log in which the last transaction was written over the beginning of a longer one, whose pages have another text.
    private func leftOver(_ log: Data, isCommitted: Bool) throws -> Data {
        try log.withUnsafeBytes { raw in
            let header = try #require(LogHeader(sound: raw))
            let places = (0..<(log.count - 32) / 4120).map { WriteAheadLog.offset($0, 4096) }
            let last = try #require(places.last)
            let before = try #require(places.dropLast().last { raw.word($0 + 4) != 0 })
            let page = raw[(last + 24)...].map { $0 ^ 0xFF }
            let written = places.count { $0 > before }
            var sum = LogChecksum(raw.word(before + 16), raw.word(before + 20))
            var older: [[UInt8]] = []
            for index in 1...written + 4 {
                let commit = isCommitted && index == written + 4 ? raw.word(last + 4) : 0
                sum = page.withUnsafeBytes { header.order.sum(sum, raw.word(last), commit, $0) }
                let words = [
                    raw.word(last), commit, header.salt.first, header.salt.second, sum.first, sum.second,
                ]
                older.append(words.flatMap(\.bigEndianBytes) + page)
            }
            return log + Data(older.dropFirst(written).joined())
        }
    }

    @Test("what another key sealed, or a newer version wrote, is refused before its log is mended") func preflight()
        async throws
    {
        let killed = try await KilledDatabase.make(seed: 3, checkpointed: true)
        var log = killed.log
        for index in 0..<32 { log[index] ^= 0xFF }
        let notes = try Notes()
        try killed.put(log, into: notes)
        let path = notes.folder.path("state/\(KilledDatabase.file)")
        let migrations = [Notes.migration, KilledDatabase.counter]
        for (code, open) in [
            (StoreError.Code.wrongKey, { try notes.open(migrations, sealing: try Notes.sealing(2)) }),
            (.newerSchema, { try notes.open([Notes.migration]) }),
        ] {
            #expect(throws: StoreError.self) {
                do {
                    _ = try open()
                } catch let error as StoreError {
                    #expect(error.code == code, "\(error)")
                    throw error
                }
            }
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == killed.database)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path + "-wal")) == log)
            let names = try FileManager.default.contentsOfDirectory(atPath: notes.folder.path("state"))
            #expect(!names.contains { $0.contains(".damaged-") }, "\(names)")
        }
        #expect(try notes.open(migrations).logReport != nil)
    }

    @Test("a database whose log was given up is served only if it is sound", arguments: [true, false])
    func givenUp(isSound: Bool) async throws {
        let killed = try await KilledDatabase.make(seed: 3, checkpointed: true)
        var bytes = killed.database
        if !isSound { for index in bytes.count - 4096..<bytes.count { bytes[index] ^= 0xFF } }
        let notes = try Notes()
        let directory = try StateDirectory(notes.folder.path("state"))
        try directory.makePrivateFile(KilledDatabase.file, bytes)
        let givenUp = KilledDatabase.file + "-wal.given-up"
        try directory.makePrivateFile(givenUp, killed.log)
        let migrations = [Notes.migration, KilledDatabase.counter]
        do {
            let opened = try notes.open(migrations)
            #expect(isSound)
            #expect(try await opened.read { try $0.number("SELECT count(*) FROM notes") } == 20)
            try opened.close()
        } catch let error as StoreError {
            #expect(!isSound && error.code == .corrupt)
            #expect(error.message.contains("Restore a backup"), "\(error.message)")
            let path = directory.path(KilledDatabase.file)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
        }
        #expect(access(directory.path(givenUp), F_OK) == 0)
    }

    @Test("of logs that were damaged, the newest four are kept") func bounded() async throws {
        let killed = try await KilledDatabase.make(seed: 3, checkpointed: false)
        var log = killed.log
        for index in 0..<32 { log[index] ^= 0xFF }
        let notes = try Notes()
        let directory = try StateDirectory(notes.folder.path("state"))
        for _ in 0..<6 {
            for name in [KilledDatabase.file, KilledDatabase.file + "-wal"] { unlink(directory.path(name)) }
            try killed.put(log, into: notes)
            try notes.open([Notes.migration, KilledDatabase.counter]).close()
            notes.clock.advance(by: .seconds(1))
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
        #expect(names.filter { $0.contains(".damaged-") }.count == LogRepair.keptAtMost, "\(names)")
    }

    @Test("a refusal says which file it is, what stands behind the damage, and what to do") func words() async throws {
        let killed = try await KilledDatabase.make(seed: 3, checkpointed: false)
        guard case .refused(let error) = try await killed.open(try await lost(killed)) else { return }
        for part in [
            "notes.sqlite-wal is damaged", "acknowledged changes", "Restore a backup", "all changes in this log", "mv ",
        ] {
            #expect(error.message.contains(part), "\(error.message)")
        }
    }

    /// A log that cannot be mended, and is surely damaged.
    private func lost(_ killed: KilledDatabase) async throws -> Data {
        var random = SeededGenerator(seed: 1)
        for place in stride(from: 0, to: killed.log.count, by: 4120) {
            let log = Accident.inverted.happens(to: killed.log, at: place + 100, &random)
            guard case .refused(let error) = try await killed.open(log) else { continue }
            if error.message.contains("acknowledged changes") { return log }
        }
        throw StoreError(.notFound, "each damage could be mended")
    }

    @Test("a database that this process has open already is opened again with its log as it is") func twice()
        async throws
    {
        let notes = try Notes()
        let first = try notes.open()
        try await notes.add("a", "text", to: first)
        let log = try FileHandle(forUpdating: URL(fileURLWithPath: first.path + "-wal"))
        try log.write(contentsOf: Data(repeating: 0xFF, count: 32))
        try log.close()
        let second = try notes.open()
        #expect(second.logReport == nil)
        #expect(try await notes.text("a", in: second) == "text")
    }

    @Test("while another process has a database open, its log is left alone") func foreign() async throws {
        let killed = try await KilledDatabase.make(seed: 3, checkpointed: false)
        let notes = try Notes()
        var log = killed.log
        for index in 0..<32 { log[index] ^= 0xFF }
        try killed.put(log, into: notes)
        let directory = try StateDirectory(notes.folder.path("state"))
        // What SQLite in another process holds: another open file, and so another owner of locks.
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
            """, directory.path(KilledDatabase.file),
        ]
        let (input, output) = (Pipe(), Pipe())
        reader.standardInput = input
        reader.standardOutput = output
        try reader.run()
        #expect(try output.fileHandleForReading.read(upToCount: 1) == Data("h".utf8))
        let repair = LogRepair(directory: directory, file: KilledDatabase.file, clock: notes.clock.clock)
        #expect(try repair.run({}) == nil)
        #expect(try Data(contentsOf: URL(fileURLWithPath: directory.path(KilledDatabase.file + "-wal"))) == log)
        try input.fileHandleForWriting.close()
        reader.waitUntilExit()
        #expect(try repair.run({}) != nil)
    }
}
