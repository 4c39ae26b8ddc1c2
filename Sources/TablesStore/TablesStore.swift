import DurableSQLite
public import Foundation
import GRDB
public import Moments
public import Storage
public import Tables

/// The tables' database: rows by owner and id, each with a version that every write changes.
///
/// A write returns when it is on the disk. Within an owner no two writes have the same time, so that a client that asks
/// for what is new never misses a row.
public struct TablesStore: Sendable {
    /// Most rows of one page.
    public static let maxPage = 1000

    /// The database's file in the state directory.
    public static let fileName = "tasks.sqlite"

    let database: DurableDatabase
    private let tables: [String: TableSQL]
    private let clock: MomentClock

    /// Opens the database and makes the tables and columns it does not have yet.
    ///
    /// - Parameters:
    ///   - directory: Where the database's file is.
    ///   - definitions: The tables.
    ///   - clock: Where times come from.
    /// - Returns: The store.
    /// - Throws: `StoreError` if the file is of a newer version, or a column of it holds another type: `conflict`.
    public static func open(
        in directory: StateDirectory,
        definitions: [Tables.TableDefinition],
        clock: MomentClock
    ) async throws(StoreError) -> TablesStore {
        try await open(in: directory, definitions: definitions, clock: clock, statements: nil)
    }

    static func open(
        in directory: StateDirectory,
        definitions: [Tables.TableDefinition],
        clock: MomentClock,
        statements: StatementLog?
    ) async throws(StoreError) -> TablesStore {
        var options = DurableDatabase.Options(
            directory: directory,
            file: fileName,
            migrations: TablesSchema.migrations,
            sealing: nil,
            clock: clock
        )
        options.statements = statements
        let store = TablesStore(database: try DurableDatabase(options), tables: [:], clock: clock)
        return try await store.adopting(definitions)
    }

    /// The same database with other tables and columns; those that it does not have yet are made.
    ///
    /// - Throws: `StoreError` `conflict` if a column of the database holds another type; nothing was changed then.
    public func adopting(_ definitions: [Tables.TableDefinition]) async throws(StoreError) -> TablesStore {
        let tables = definitions.map(TableSQL.init)
        try await database.write { db in
            for table in tables { try TablesSchema.prepare(db, table) }
        }
        let named = Dictionary(tables.map { ($0.definition.name.lowercased(), $0) }) { first, _ in first }
        return TablesStore(database: database, tables: named, clock: clock)
    }

    /// One row, also if it is deleted and its trace is kept.
    public func row(_ table: Tables.TableDefinition, owner: String, id: RowID) async throws -> Tables.Row? {
        let sql = try sql(table)
        return try await database.read { db in try Self.find(db, sql, owner, id) }
    }

    /// A page of rows that are not deleted, oldest first.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - owner: Whose rows.
    ///   - limit: Most rows, up to ``maxPage``.
    ///   - skip: How many rows come before the page.
    /// - Returns: The rows, and whether there are more.
    /// - Throws: `StoreError` if the database does not answer.
    public func rows(
        _ table: Tables.TableDefinition,
        owner: String,
        limit: Int,
        skip: Int = 0
    ) async throws -> (rows: [Tables.Row], hasMore: Bool) {
        let sql = try sql(table)
        let limit = min(max(limit, 0), Self.maxPage)
        return try await database.read { db in
            let found = try db.rows(sql.selectPage, [owner, limit + 1, skip])
            return (try found.prefix(limit).map(sql.row), found.count > limit)
        }
    }

    /// Inserts a row.
    ///
    /// - Parameters:
    ///   - draft: The row; without an id it gets a new one.
    ///   - table: The table.
    ///   - owner: Whose row it is.
    ///   - key: The client's key for this insert (`Idempotency-Key`): a repetition within a day inserts nothing.
    /// - Returns: The row as inserted, the first time.
    /// - Throws: ``TablesStoreError`` `exists` if the id is taken, `keyReused` if the key was used for another row.
    public func insert(
        _ draft: RowDraft,
        into table: Tables.TableDefinition,
        owner: String,
        key: UUID? = nil
    ) async throws -> Tables.Row {
        let sql = try sql(table)
        return try await write { db, now in
            let name = table.name.lowercased()
            if let key, let row = try StoredInsertion.row(db, name, owner, key, draft, now: now) { return row }
            let id = draft.id ?? .random()
            if let row = try Self.find(db, sql, owner, id) { throw TablesStoreError(.exists, row: row) }
            let time = try Self.tick(db, name, owner, now)
            let row = Tables.Row(id: id, values: draft.values, createdAt: time, updatedAt: time, isDeleted: false)
            try db.run(sql.insert, [owner, id.text, time, time, false] + StatementArguments(sql.arguments(row)))
            if let key { try StoredInsertion.remember(db, name, owner, key, draft, row) }
            return row
        }
    }

    /// Changes a row; what the draft does not have stays.
    ///
    /// - Throws: ``TablesStoreError`` `notFound`, `mismatch` if `condition` does not hold, `deleted` if only its trace is
    ///   left.
    public func update(
        _ id: RowID,
        of table: Tables.TableDefinition,
        owner: String,
        with draft: RowDraft,
        if condition: VersionCondition
    ) async throws -> Tables.Row {
        try await change(id, table, owner, condition) { row, time in
            let values = row.values.merging(draft.values) { _, new in new }
            return Tables.Row(id: id, values: values, createdAt: row.createdAt, updatedAt: time, isDeleted: false)
        }
    }

    /// Deletes a row, or leaves its trace where the table wants one.
    ///
    /// - Returns: The row as it was left.
    /// - Throws: As ``update(_:of:owner:with:if:)``.
    public func delete(
        _ id: RowID,
        of table: Tables.TableDefinition,
        owner: String,
        if condition: VersionCondition
    ) async throws -> Tables.Row {
        try await change(id, table, owner, condition) { row, time in
            Tables.Row(id: id, values: row.values, createdAt: row.createdAt, updatedAt: time, isDeleted: true)
        }
    }

    /// Deletes the only row whose column holds exactly `text`.
    ///
    /// - Throws: ``TablesStoreError`` `notFound` if there is none, `ambiguous` with the ids if there are several.
    public func deleteOnly(
        whose column: Tables.Column,
        is text: String,
        of table: Tables.TableDefinition,
        owner: String
    ) async throws -> Tables.Row {
        let sql = try sql(table)
        return try await write { db, now in
            let found = try db.rows(sql.selectMatching(column), [owner, text, Self.maxPage]).map(sql.row)
            guard let row = found.first else { throw TablesStoreError(.notFound) }
            guard found.count == 1 else { throw TablesStoreError(.ambiguous, ids: found.map(\.id)) }
            let time = try Self.tick(db, table.name.lowercased(), owner, now)
            let dead = Tables.Row(
                id: row.id,
                values: row.values,
                createdAt: row.createdAt,
                updatedAt: time,
                isDeleted: true
            )
            try Self.put(db, sql, owner, dead)
            return dead
        }
    }

    /// Forgets traces that are older than their tables keep them, and keys of inserts that are over.
    ///
    /// - Returns: How many traces were forgotten.
    public func purge() async throws -> Int {
        let day: Int64 = 24 * 3600 * 1000
        let batch = 1000
        var total = 0
        for sql in tables.values {
            while true {
                let count = try await write { db, now in
                    let oldest = now - Int64(sql.definition.tombstoneDays) * day
                    return try db.run(sql.purge, [oldest, batch])
                }
                total += count
                if count < batch { break }
            }
        }
        _ = try await write { db, now in try db.run(StoredInsertion.purge, [now]) }
        return total
    }

    /// Whether the database answers.
    public func isWell() async -> Bool {
        (try? await database.read { db in try db.number("SELECT 1") }) == 1
    }

    /// Closes the database; whatever is called afterwards fails.
    public func close() {
        try? database.close()
    }

    // MARK: Writing

    private func change(
        _ id: RowID,
        _ table: Tables.TableDefinition,
        _ owner: String,
        _ condition: VersionCondition,
        _ next: @escaping @Sendable (Tables.Row, Int64) -> Tables.Row
    ) async throws -> Tables.Row {
        let sql = try sql(table)
        return try await write { db, now in
            guard let row = try Self.find(db, sql, owner, id) else { throw TablesStoreError(.notFound) }
            guard condition.holds(for: row) else { throw TablesStoreError(.mismatch, row: row) }
            guard !row.isDeleted else { throw TablesStoreError(.deleted, row: row) }
            let new = next(row, try Self.tick(db, table.name.lowercased(), owner, now))
            try Self.put(db, sql, owner, new)
            return new
        }
    }

    private static func put(_ db: Database, _ sql: TableSQL, _ owner: String, _ row: Tables.Row) throws {
        if row.isDeleted && !sql.definition.hasSoftDelete {
            try db.run(sql.delete, [owner, row.id.text])
        } else {
            let arguments: StatementArguments = [row.updatedAt, row.isDeleted]
            try db.run(sql.update, arguments + StatementArguments(sql.arguments(row)) + [owner, row.id.text])
        }
    }

    private static func find(_ db: Database, _ sql: TableSQL, _ owner: String, _ id: RowID) throws -> Tables.Row? {
        try db.row(sql.selectRow, [owner, id.text]).map(sql.row)
    }

    /// The time of a write: now, or just after the owner's last one if the clock has not moved on since.
    private static func tick(_ db: Database, _ table: String, _ owner: String, _ now: Int64) throws -> Int64 {
        let sql = """
            INSERT INTO clocks (table_name, owner, last) VALUES ($1, $2, $3)
            ON CONFLICT (table_name, owner) DO UPDATE SET last = CASE WHEN excluded.last > last THEN excluded.last
            ELSE last + 1 END RETURNING last
            """
        guard let clock = try db.row(sql, [table, owner, now]) else {
            throw StoreError(.failed, "the clock of \(table) did not answer")
        }
        return clock[0]
    }

    private func sql(_ table: Tables.TableDefinition) throws(TablesStoreError) -> TableSQL {
        guard let sql = tables[table.name.lowercased()] else { throw TablesStoreError(.notFound, detail: table.name) }
        return sql
    }

    /// Runs `body` in a transaction; a body refuses before it writes, so that a refusal has nothing to undo.
    private func write<Value: Sendable>(
        _ body: @escaping @Sendable (Database, Int64) throws -> Value
    ) async throws -> Value {
        try await database.write { [clock] db -> Result<Value, TablesStoreError> in
            do {
                return .success(try body(db, clock.now.wall))
            } catch let error as TablesStoreError {
                return .failure(error)
            }
        }.get()
    }
}
