import DurableSQLite
public import Foundation
import GRDB
import GRDBSQLite
public import Moments
public import Storage
public import Tables
import TablesSQL
import TablesSQLite

/// The database that stores the tables.
///
/// Rows are identified by owner and id. A write returns when it is durable. No two writes to an owner's rows in a table
/// have the same time, so a client that requests the changes since a given time does not miss any row.
public struct TablesStore: Sendable {
    /// The name of the database file in the state directory.
    public static let fileName = "tasks.sqlite"
    /// The name of the lock file in the state directory, which identifies the process that is using the database.
    public static let lockName = "tasks.sqlite.lock"
    /// The maximum number of rows that a deletion by filter can delete.
    public static let maxDeletion = 1000
    /// The maximum total length of the strings in a row, in bytes.
    public static let maxRowLength = 2 * 1024 * 1024
    /// The maximum length of a page's JSON in bytes, which only a page with a single row can exceed.
    public static let maxPageLength = 8 * 1024 * 1024

    /// The size of each connection's page cache in KiB, enough for the newest rows of a few hundred users.
    private static let cacheSize = 8192

    let database: DurableDatabase
    let clock: MomentClock
    let grown: GrownColumns
    let shapes: StatementShapes
    let places: ReadAdmission
    let tables: [String: TableSQL]
    let limits: OwnerLimits

    /// Opens the database in `directory`, and creates missing tables and columns.
    ///
    /// - Throws: `StoreError` if a newer version of the program created the file, or if a stored column has a different
    ///   type than in `definitions` (`conflict`).
    public static func open(
        in directory: StateDirectory,
        definitions: [TableDeclaration],
        limits: OwnerLimits = .standard,
        clock: MomentClock
    ) async throws(StoreError) -> TablesStore {
        var options = DurableDatabase.Options(
            directory: directory,
            file: fileName,
            migrations: TablesSchema.steps,
            sealing: nil,
            clock: clock
        )
        options.prepare = SQLiteFunctions.add
        options.cacheSize = cacheSize
        let store = TablesStore(
            database: try DurableDatabase(options),
            clock: clock,
            grown: GrownColumns(),
            shapes: StatementShapes(),
            places: ReadAdmission(clock: clock),
            tables: [:],
            limits: limits
        )
        return try await store.adopting(definitions)
    }

    /// Returns a store for the same database, in which missing tables and columns of `definitions` are created.
    ///
    /// - Throws: `StoreError` `conflict`, without any change, if a stored column's type differs from `definitions`.
    public func adopting(
        _ definitions: [TableDeclaration],
        limits: OwnerLimits? = nil
    ) async throws(StoreError) -> TablesStore {
        let found = try await database.write { db in
            try definitions.map { ($0.name.lowercased(), try TablesSchema.prepare(db, TableSQL($0))) }
        }
        for (name, columns) in found { grown.add(columns, to: name) }
        let named = Dictionary(definitions.map { ($0.name.lowercased(), TableSQL($0)) }) { first, _ in first }
        let store = TablesStore(
            database: database,
            clock: clock,
            grown: grown,
            shapes: shapes,
            places: places,
            tables: named,
            limits: limits ?? self.limits
        )
        for table in named.values { try await SortKeyRefresh(database: database, table: store.wide(table)).run() }
        return store
    }

    /// Returns the table with this name, or `nil` if it does not exist.
    ///
    /// The name is not case-sensitive. The result also contains columns that writes have added.
    public func table(_ name: String) -> TableDeclaration? {
        (tables[name] ?? tables[name.lowercased()]).map { wide($0).definition }
    }

    /// Returns a row, including a tombstone, or `nil` if the row does not exist.
    public func row(_ table: TableDeclaration, owner: String, id: RowID) async throws -> TableRow? {
        let sql = try sql(table)
        return try await database.find { db in try OwnedRows(db: db, sql: sql, owner: owner).row(id) }
    }

    /// Returns the only row that has exactly the value `text` in `column`.
    ///
    /// - Throws: ``TablesStoreError`` `notFound` if no row matches, `ambiguous` with the ids if several rows match.
    public func only(
        whose column: TableColumn,
        is text: String,
        of table: TableDeclaration,
        owner: String
    ) async throws -> TableRow {
        let sql = try sql(table)
        let found = try await database.read { db in
            // Only the first row is kept, with the ids of all matching rows, because rows can be long.
            var found: (first: TableRow?, ids: [RowID]) = (nil, [])
            let reader = RowReader(sql.definition)
            let arguments: [SQLValue] = [.text(owner), .text(text), .integer(Int64(Self.maxDeletion))]
            try RawStatement(sql.selectMatching(column), arguments).run(db) {
                let row = try reader.row($0)
                if found.ids.isEmpty { found.first = row }
                found.ids.append(row.id)
            }
            return found
        }
        guard let row = found.first else { throw TablesStoreError(.notFound) }
        guard found.ids.count == 1 else { throw TablesStoreError(.ambiguous, ids: found.ids) }
        return row
    }

    /// Returns the row that an insert with `key` created within the last day, or `nil` if there was no such insert.
    ///
    /// - Throws: ``TablesStoreError`` `keyReused` if the key was used for a row different from `sent`.
    public func inserted(
        _ key: UUID,
        _ sent: RowDraft,
        into table: TableDeclaration,
        owner: String
    ) async throws -> TableRow? {
        let (name, now) = (try sql(table).plainName, clock.now.wall)
        let first = try await database.find { db in
            Result { try StoredInsertion.row(db, name, owner, key, sent, now: now) }
        }
        return try first.get()
    }

    /// Returns a page of a list as JSON.
    ///
    /// A page has at most the requested number of rows, or the table's page size if the query requests no number. The
    /// page ends before a row that would make the JSON longer than ``maxPageLength``. A long query stops when `client`
    /// disconnects.
    ///
    /// - Throws: `QueryProblem` for a query that the table does not support. ``TablesStoreError`` `forgotten` if
    ///   requested tombstones were removed, `tooCostly` if the query exceeds its budget, `abandoned` if the client
    ///   disconnects, `noRoom` if no memory is available for the page.
    public func page(
        _ table: TableDeclaration,
        owner: String,
        query: Query,
        for client: ReadClient? = nil
    ) async throws -> WrittenPage {
        let list = try ListSQL(try sql(table), owner: owner, query: query)
        let writer = RowWriter(format: try list.format())
        return try await reading(table, list, owner, client) { run, limit, total, most in
            var json = JSONOutput(capacity: 512 * (limit + 1))
            json.append("[")
            var (count, found, isFull) = (0, 0, false)
            try run { statement in
                found += 1
                guard count < limit, !isFull else { return }
                let end = json.count
                if count > 0 { json.append(",") }
                writer.append(statement, to: &json)
                guard json.count <= most else { throw QueryTooCostly() }
                if count > 0, json.count >= Self.maxPageLength {
                    json.truncate(to: end)
                    isFull = true
                    return
                }
                count += 1
                guard client?.fits(json.count) ?? true else { throw TablesStoreError(.noRoom) }
            }
            json.append("]")
            return WrittenPage(json: json.bytes, count: count, totalCount: total, hasMore: found > count)
        }
    }

    /// Returns a page of a list as rows.
    ///
    /// The page ends with the row that makes the total length of the page's strings exceed ``maxPageLength``.
    ///
    /// - Throws: The same errors as ``page(_:owner:query:for:)``.
    public func rows(
        _ table: TableDeclaration,
        owner: String,
        query: Query = Query(),
        for client: ReadClient? = nil
    ) async throws -> RowPage {
        let sql = try sql(table)
        let list = try ListSQL(sql, owner: owner, query: query)
        return try await reading(table, list, owner, client) { run, limit, total, most in
            var rows: [TableRow] = []
            var (found, length) = (0, 0)
            try run {
                found += 1
                guard rows.count < limit, length <= Self.maxPageLength else { return }
                let row = try RowReader(sql.definition).row($0)
                length += row.length
                rows.append(row)
                guard length <= most else { throw QueryTooCostly() }
                guard client?.fits(length) ?? true else { throw TablesStoreError(.noRoom) }
            }
            return RowPage(rows: rows, totalCount: total, hasMore: found > rows.count)
        }
    }

    /// Returns a row and the format of its JSON, or `nil` if the row does not exist or does not match the query.
    ///
    /// A deleted row is returned only with `includingDeleted`, whatever the query requests.
    ///
    /// - Throws: `QueryProblem` for a query that the table does not support.
    public func lookUp(
        _ id: RowID,
        in table: TableDeclaration,
        owner: String,
        query: Query,
        includingDeleted: Bool = false,
        for client: ReadClient? = nil
    ) async throws -> (row: TableRow, format: RowFormat)? {
        var query = query
        query.includesDeleted = includingDeleted
        let sql = try sql(table)
        let list = try ListSQL(sql, owner: owner, query: query)
        let (format, statement) = (try list.format(), RawStatement(query: list.row(id), shapes: shapes))
        return try await places.read(database, owner: owner, for: client, isOneStatement: true) { db, budget in
            var row: TableRow?
            try statement.run(db, within: budget) { row = try RowReader(sql.definition).row($0) }
            return row
        }.map { ($0, format) }
    }

    /// Returns whether the database responds.
    public func isWell() async -> Bool {
        (try? await database.read { db in try db.number("SELECT 1") }) == 1
    }

    /// Empties the write-ahead log after a pause in writes, and must be called about once per second.
    public func settle() async { await database.settle() }

    /// Closes the database, after which all calls fail.
    public func close() {
        try? database.close()
    }

    // MARK: Helpers

    /// Runs the statements for a list with a consistent view of the database.
    private func reading<Page: Sendable>(
        _ table: TableDeclaration,
        _ list: ListSQL,
        _ owner: String,
        _ client: ReadClient?,
        _ body:
            @escaping @Sendable (_ run: ((OpaquePointer) throws -> Void) throws -> Void, Int, Int?, _ most: Int) throws
            -> Page
    ) async throws -> Page {
        let name = table.name.lowercased()
        let limit = list.limit
        let rows = limit > 0 ? RawStatement(query: try list.rows(limit: limit), shapes: shapes) : nil
        let count = list.wantsCount ? RawStatement(query: list.count, shapes: shapes) : nil
        let since = list.followsSince
        let isOneStatement = since == nil && (rows == nil || count == nil)
        return try await places.read(database, owner: owner, for: client, isOneStatement: isOneStatement) {
            db,
            budget in
            if let since, try StoreClock.horizon(db, name, owner) >= since { throw TablesStoreError(.forgotten) }
            var total: Int?
            try count?.run(db, within: budget) { total = Int(sqlite3_column_int64($0, 0)) }
            return try body({ each in try rows?.run(db, within: budget, each) }, limit, total, budget.limits.bytes)
        }
    }

    func sql(_ table: TableDeclaration) throws(TablesStoreError) -> TableSQL {
        guard let configured = tables[table.name] ?? tables[table.name.lowercased()] else {
            throw TablesStoreError(.notFound, detail: table.name)
        }
        return wide(configured)
    }

    func wide(_ table: TableSQL) -> TableSQL {
        table.definition.isDynamic ? grown.sql(table.definition) : table
    }
}
