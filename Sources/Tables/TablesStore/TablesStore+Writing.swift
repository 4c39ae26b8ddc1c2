import DurableSQLite
public import Foundation
import GRDB
import Moments
public import Tables
import TablesSQL
import TablesSQLite

extension TablesStore {
    /// Inserts a row, with a new id if the draft has none, or returns the row of an earlier insert with the same `key`.
    ///
    /// A key (`Idempotency-Key`) is valid for a day. A request that repeats a key must contain the same row: `sent`, or
    /// the draft if `sent` is `nil`. A missing row never satisfies `If-Match`.
    ///
    /// - Throws: ``TablesStoreError`` `exists` if the id is taken, `mismatch` if the preconditions are not satisfied,
    ///   `keyReused` if the key was used for a different row, `tooLong` if the row is too long, `tooManyRows` or
    ///   `tooManyBytes` if the owner would exceed a limit. `TableProblem` for a column that was added with a different
    ///   type in the meantime.
    public func insert(
        _ draft: RowDraft,
        into table: TableDeclaration,
        owner: String,
        key: UUID? = nil,
        sent: RowDraft? = nil,
        if conditions: Preconditions = .none
    ) async throws -> TableRow {
        let sent = sent ?? draft
        return try await writing(draft, table) { [limits] db, now, sql, values in
            let name = sql.plainName
            let rows = OwnedRows(db: db, sql: sql, owner: owner)
            if let key, let row = try StoredInsertion.row(db, name, owner, key, sent, now: now) { return row }
            if conditions != .none {
                let there = try draft.id.flatMap(rows.row)
                guard there.map(conditions.hold) ?? (conditions.match == .none) else {
                    throw TablesStoreError(.mismatch, row: there)
                }
            }
            try Self.checkLength(values)
            let row = try rows.insert(values, id: draft.id, now)
            if let key { try StoredInsertion.remember(db, name, owner, key, sent, row) }
            try OwnerUsage.check(db, owner, limits)
            return row
        }
    }

    /// Updates only those columns of a row that the draft contains, and with `restoring` also restores a deleted row.
    ///
    /// - Throws: ``TablesStoreError`` `notFound` if the row does not exist, `mismatch` if the preconditions are not
    ///   satisfied, `deleted` if only the tombstone exists and is not to be restored, `cannotUndelete` if it is but the
    ///   table stores no tombstones, `tooLong` if the row would be too long, `tooManyBytes` if the owner would exceed
    ///   the limit. `TableProblem` for a column that was added with a different type in the meantime.
    public func update(
        _ id: RowID,
        of table: TableDeclaration,
        owner: String,
        with draft: RowDraft,
        if conditions: Preconditions = .none,
        restoring: Bool = false
    ) async throws -> TableRow {
        guard table.hasSoftDelete || !restoring else { throw TablesStoreError(.cannotUndelete) }
        return try await writing(draft, table) { [limits] db, now, sql, values in
            let rows = OwnedRows(db: db, sql: sql, owner: owner)
            let row = try rows.standing(id, conditions, restoring: restoring)
            let time = try rows.tick(now)
            let merged = row.values.merging(values) { _, new in new }
            try Self.checkLength(merged)
            let new = TableRow(id: id, values: merged, createdAt: row.createdAt, updatedAt: time, isDeleted: false)
            let growth = new.length - row.length
            try rows.put(new, growth: growth)
            if growth > 0, try OwnerUsage(db, owner).bytes > limits.bytes { throw TablesStoreError(.tooManyBytes) }
            return new
        }
    }

    /// Deletes a row, or replaces it with a tombstone if the table stores tombstones, and returns the deleted row.
    ///
    /// - Throws: ``TablesStoreError`` `notFound` if the row does not exist, `mismatch` if the preconditions are not
    ///   satisfied, `deleted` if only the tombstone exists.
    public func delete(
        _ id: RowID,
        of table: TableDeclaration,
        owner: String,
        if conditions: Preconditions = .none
    ) async throws -> TableRow {
        let sql = try sql(table)
        return try await write { db, now in
            let rows = OwnedRows(db: db, sql: sql, owner: owner)
            let dead = try rows.standing(id, conditions).written(at: try rows.tick(now), isDeleted: true)
            try rows.put(dead, growth: 0)
            return dead
        }
    }

    /// Restores a deleted row, and returns the current row.
    ///
    /// A row that is not deleted stays unchanged.
    ///
    /// - Throws: ``TablesStoreError`` `notFound` if the row does not exist, `mismatch` if the preconditions are not
    ///   satisfied, `cannotUndelete` if the table stores no tombstones.
    public func undelete(
        _ id: RowID,
        of table: TableDeclaration,
        owner: String,
        if conditions: Preconditions = .none
    ) async throws -> TableRow {
        let sql = try sql(table)
        guard table.hasSoftDelete else { throw TablesStoreError(.cannotUndelete) }
        return try await write { db, now in
            let rows = OwnedRows(db: db, sql: sql, owner: owner)
            let row = try rows.standing(id, conditions, restoring: true)
            guard row.isDeleted else { return row }
            let alive = row.written(at: try rows.tick(now), isDeleted: false)
            try rows.put(alive, growth: 0)
            return alive
        }
    }

    // MARK: Helpers

    /// Checks the length of the whole row, because a row can grow through many short changes.
    private static func checkLength(_ values: [String: TableValue]) throws {
        guard values.values.reduce(0, { $0 + $1.length }) <= maxRowLength else { throw TablesStoreError(.tooLong) }
    }

    private func writing(
        _ draft: RowDraft,
        _ table: TableDeclaration,
        _ body: @escaping @Sendable (Database, Int64, TableSQL, [String: TableValue]) throws -> TableRow
    ) async throws -> TableRow {
        let sql = try sql(table)
        guard !draft.added.isEmpty else {
            return try await write { db, now in try body(db, now, sql, draft.values) }
        }
        let row = try await write { db, now in
            let (wide, values) = try TablesSchema.grow(db, sql, draft)
            return try body(db, now, wide, values)
        }
        let columns = try await database.read { db in try TablesSchema.columns(db, sql.plainName) }
        grown.add(columns.filter { sql.definition.column($0.name) == nil }, to: sql.plainName)
        return row
    }

    /// Runs `body` in a transaction, which is rolled back if `body` throws.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (Database, Int64) throws -> Value
    ) async throws -> Value {
        try await database.write { [clock] db -> Result<Value, any Error> in
            do {
                return .success(try body(db, clock.now.wall))
            } catch  where error is TablesStoreError || error is TableProblem {
                throw Undone(Result<Value, any Error>.failure(error))
            }
        }.get()
    }
}
