import Foundation
public import GRDB
import Storage

extension DurableDatabase {
    /// How long a connection waits for another process's lock, in seconds.
    static let busyTimeout = 5.0
    /// The maximum number of concurrent readers.
    public static let readers = 4

    static func configuration(_ options: Options) -> Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(busyTimeout)
        configuration.maximumReaderCount = readers
        configuration.label = options.file
        configuration.prepareDatabase { [options] db in
            try db.execute(sql: "PRAGMA secure_delete = ON")
            try db.execute(sql: "PRAGMA cache_size = -\(options.cacheSize)")
            try db.execute(sql: "PRAGMA trusted_schema = OFF")
            try db.execute(sql: "PRAGMA temp_store = MEMORY")
            try options.prepare?(db)
            options.statements?.follow(db)
        }
        return configuration
    }

    static func openPool(_ options: Options, path: String) throws -> DatabasePool {
        let pool = try DatabasePool(path: path, configuration: configuration(options))
        try pool.writeWithoutTransaction { db in
            // GRDB sets `synchronous` to NORMAL after `prepareDatabase`, so the setting is changed and verified here.
            try db.execute(sql: "PRAGMA synchronous = FULL")
            guard try Int.fetchOne(db, sql: "PRAGMA synchronous") == 2,
                try String.fetchOne(db, sql: "PRAGMA journal_mode") == "wal",
                try Int.fetchOne(db, sql: "PRAGMA foreign_keys") == 1
            else { throw StoreError(.failed, .volatile(path)) }
            try Schema(options.migrations).migrate(db) { db in
                guard let sealing = options.sealing else { return }
                try Preflight.writeKeyCheck(db, sealing)
            }
        }
        return pool
    }

    /// Whether the open database `db` has the schema that `steps` produce.
    public static func isCurrent(_ db: Database, _ steps: [Migration]) throws -> Bool {
        guard let version = try Schema.version(db) else { return false }
        return try version == Schema(steps).newest && !Schema.isFormer(db, version: version)
    }

    static func retrying<T>(_ open: () throws -> T) throws -> T {
        for _ in 0..<100 {
            do {
                return try open()
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                usleep(50_000)
            }
        }
        return try open()
    }
}

/// Checks whether this version and this key can open an existing database, without changing the database.
struct Preflight {
    private static let keyCheck = SealedColumn("key_check", "sealed")
    /// The first bytes of every database file (SQLite file format §1.2).
    private static let magic = Data("SQLite format 3\0".utf8)

    let options: DurableDatabase.Options
    let path: String

    func isEmpty() throws -> Bool {
        try checkBeginning()
        return try read(isEmpty)
    }

    private func read<T>(_ body: (Database) throws -> T) throws -> T {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(DurableDatabase.busyTimeout)
        if let prepare = options.prepare { configuration.prepareDatabase(prepare) }
        let queue = try DurableDatabase.retrying { try DatabaseQueue(path: path, configuration: configuration) }
        defer { try? queue.close() }
        return try DurableDatabase.retrying { try queue.read(body) }
    }

    /// Rejects a file that is not a database, because SQLite would write a leftover write-ahead log into it.
    private func checkBeginning() throws {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        defer { try? file.close() }
        let beginning = try file.read(upToCount: Self.magic.count) ?? Data()
        guard beginning.isEmpty || beginning == Self.magic else {
            throw StoreError(.corrupt, .notADatabase(path))
        }
    }

    private func isEmpty(_ db: Database) throws -> Bool {
        guard let version = try Schema.version(db) else {
            guard try !db.tableExists("schema_version") else {
                throw StoreError(.corrupt, .unknownSchema(path))
            }
            guard try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") == 0 else {
                throw StoreError(.unreadable, .foreignDatabase(path))
            }
            return true
        }
        guard try !Schema.isFormer(db, version: version) else {
            throw StoreError.olderSchema(path: path, version: version)
        }
        let newest = Schema(options.migrations).newest
        guard version <= newest else {
            throw StoreError(.newerSchema, .newerSchema(path, version: version, newest: newest))
        }
        guard let sealing = options.sealing else { return false }
        let sealed = try Data.fetchOne(db, sql: "SELECT sealed FROM key_check WHERE id = 'key'") ?? Data()
        guard (try? sealing.open(sealed, Self.keyCheck, row: "key")) != nil else {
            guard let expected = Sealing.keyID(of: sealed), expected != sealing.keyID else {
                throw StoreError(.corrupt, .damagedKeyCheck(path))
            }
            throw StoreError.wrongKey(path: path, expected: expected, found: sealing.keyID)
        }
        return false
    }

    static func writeKeyCheck(_ db: Database, _ sealing: Sealing) throws {
        let sealed = try sealing.seal(Data("tokenbroker".utf8), keyCheck, row: "key")
        try db.execute(sql: "INSERT INTO key_check (id, sealed) VALUES ('key', ?)", arguments: [sealed])
    }
}
