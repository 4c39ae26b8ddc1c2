import DurableSQLite
import GRDB
public import Tables
import TablesSQL
import TablesSQLite

extension TablesStore {
    /// The maximum number of searches for one deletion.
    private static let attempts = 5

    /// Deletes all matching rows in one transaction, and returns them, oldest first.
    ///
    /// The search runs on a read connection, so other writes do not wait while a client's condition is evaluated. The
    /// search stops when `client` disconnects. The write connection then deletes the rows by id, if they have not
    /// changed.
    ///
    /// - Throws: `QueryProblem` for a filter that the table does not support. ``TablesStoreError`` `tooMany` if more
    ///   than ``maxDeletion`` rows match or their JSON is longer than ``maxPageLength``, `changing` if the rows change
    ///   during every attempt. In these cases no row is deleted.
    public func delete(
        matching filter: Filter,
        of table: TableDeclaration,
        owner: String,
        for client: ReadClient? = nil
    ) async throws -> [TableRow] {
        try await delete(matching: filter, of: table, owner: owner, for: client) { _ in }
    }

    /// Deletes rows like ``delete(matching:of:owner:for:)``, and calls `found` with the rows after each search.
    func delete(
        matching filter: Filter,
        of table: TableDeclaration,
        owner: String,
        for client: ReadClient? = nil,
        found: ([TableRow]) async throws -> Void
    ) async throws -> [TableRow] {
        let sql = try sql(table)
        let list = try ListSQL(sql, owner: owner, query: Query().where(filter))
        let statement = RawStatement(query: try list.rows(limit: Self.maxDeletion), shapes: shapes)
        for _ in 0..<Self.attempts {
            let rows = try await places.read(database, owner: owner, for: client) { db, budget in
                try Self.found(statement, sql, db, budget)
            }
            try await found(rows)
            do {
                return try await bury(rows, sql, owner)
            } catch let error as TablesStoreError where error.code == .changing {
                continue
            }
        }
        throw TablesStoreError(.changing)
    }

    private static func found(
        _ statement: RawStatement,
        _ sql: TableSQL,
        _ db: Database,
        _ budget: QueryBudget
    ) throws -> [TableRow] {
        var rows: [TableRow] = []
        var length = 0
        let (reader, format) = (RowReader(sql.definition), RowFormat(sql.definition))
        try statement.run(db, within: budget) {
            let row = try reader.row($0)
            rows.append(row)
            length += format.json(row).count + 1
            guard rows.count <= maxDeletion, length <= maxPageLength else { throw TablesStoreError(.tooMany) }
        }
        return rows
    }

    /// Deletes all of `rows`, or throws `changing` if one of the rows has changed since it was read.
    private func bury(_ rows: [TableRow], _ sql: TableSQL, _ owner: String) async throws -> [TableRow] {
        guard !rows.isEmpty else { return [] }
        return try await write { db, now in
            let last = try StoreClock.tick(db, sql.plainName, owner, now, count: rows.count).time
            return try rows.enumerated().map { index, row in
                let dead = row.written(at: last - Int64(rows.count - 1 - index), isDeleted: true)
                let time: [SQLValue] = sql.definition.hasSoftDelete ? [.integer(dead.updatedAt)] : []
                let place: [SQLValue] = [.text(owner), row.id.sqlValue, .integer(row.updatedAt)]
                guard try RawStatement(sql.bury, time + place).run(db) == 1 else { throw TablesStoreError(.changing) }
                return dead
            }
        }
    }
}
