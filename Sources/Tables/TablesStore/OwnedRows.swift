import GRDB
import Tables
import TablesSQL
import TablesSQLite

/// The rows of one owner in one table, inside a transaction.
struct OwnedRows {
    let db: Database
    let sql: TableSQL
    let owner: String

    /// Returns the row with this id, which can be a tombstone, or `nil` if the row does not exist.
    func row(_ id: RowID) throws -> TableRow? {
        var row: TableRow?
        let reader = RowReader(sql.definition)
        try RawStatement(sql.selectRow, [.text(owner), id.sqlValue]).run(db) { row = try reader.row($0) }
        return row
    }

    /// Returns the row with this id, if a write is allowed to change it.
    ///
    /// A write that restores rows is also allowed to change a tombstone, which `If-Match: *` then matches.
    ///
    /// - Throws: ``TablesStoreError``: `notFound` if the row does not exist, `mismatch` if it does not satisfy
    ///   `conditions`, `deleted` if it is a tombstone and the write does not restore rows.
    func standing(_ id: RowID, _ conditions: Preconditions, restoring: Bool = false) throws -> TableRow {
        guard let row = try row(id) else { throw TablesStoreError(.notFound) }
        let matches = (restoring && conditions.match == .exists) || conditions.match.holds(for: row)
        guard matches, !conditions.names(row) else { throw TablesStoreError(.mismatch, row: row) }
        guard restoring || !row.isDeleted else { throw TablesStoreError(.deleted, row: row) }
        return row
    }

    func tick(_ now: Int64) throws -> Int64 { try StoreClock.tick(db, sql.plainName, owner, now).time }

    /// Inserts a row, whose length the caller must have checked, with a new id if `id` is `nil`.
    ///
    /// - Throws: ``TablesStoreError`` `exists` if the id is taken.
    func insert(_ values: [String: TableValue], id: RowID?, _ now: Int64) throws -> TableRow {
        let (time, id) = try next(id, now)
        let row = TableRow(id: id, values: values, createdAt: time, updatedAt: time, isDeleted: false)
        guard try RawStatement(sql.insert, sql.insertion(of: row, owner: owner)).run(db) == 1 else {
            throw TablesStoreError(.exists, row: try self.row(id))
        }
        return row
    }

    /// Replaces the stored row with the id of `row`, or removes it if `row` is deleted and tombstones are not stored.
    func put(_ row: TableRow, growth: Int) throws {
        if row.isDeleted && !sql.definition.hasSoftDelete {
            try RawStatement(sql.delete, [.text(owner), row.id.sqlValue]).run(db)
        } else {
            try RawStatement(sql.update, sql.change(to: row, growth: growth, owner: owner)).run(db)
        }
    }

    private func next(_ id: RowID?, _ now: Int64) throws -> (Int64, RowID) {
        switch sql.definition.idKind {
        case .string:
            let time = try tick(now)
            return (time, id ?? .made(at: time))
        case .integer:
            let (time, number) = try StoreClock.tick(db, sql.plainName, owner, now, ids: 1)
            return (time, RowID(number: number))
        }
    }
}

extension TableRow {
    func written(at time: Int64, isDeleted: Bool) -> TableRow {
        TableRow(id: id, values: values, createdAt: createdAt, updatedAt: time, isDeleted: isDeleted)
    }
}
