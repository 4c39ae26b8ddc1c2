// This file calls SQLite directly, to avoid creating an object for each value.
import Foundation
public import GRDB
import GRDBSQLite
import Synchronization
public import TablesSQL

/// An SQL statement and its arguments, executed row by row.
public struct RawStatement: Sendable {
    private let sql: String
    private let arguments: [SQLValue]
    private let isKept: Bool

    /// Creates a statement whose SQL is fixed in the program, and which each connection compiles only once.
    public init(_ sql: String, _ arguments: [SQLValue]) {
        self.sql = sql
        self.arguments = arguments
        isKept = true
    }

    /// Creates a statement for a client's query, which is cached if `shapes` allows it.
    public init(query: SQLFragment, shapes: StatementShapes) {
        sql = query.sql
        arguments = query.arguments
        isKept = shapes.keeps(sql)
    }

    /// Runs the statement to completion, and returns the number of changed rows.
    @discardableResult
    public func run(_ db: Database) throws -> Int {
        try run(db) { _ in }
        return Int(sqlite3_changes(db.sqliteConnection))
    }

    /// Runs the statement to completion, and calls `body` for each row, without a limit if `budget` is `nil`.
    ///
    /// - Throws: ``QueryTooCostly`` if the budget is used up or a value is too long, or an SQLite error.
    public func run(_ db: Database, within budget: QueryBudget? = nil, _ body: (OpaquePointer) throws -> Void) throws {
        let statement = try isKept ? db.cachedStatement(sql: sql) : db.makeStatement(sql: sql)
        let raw = statement.sqliteStatement
        sqlite3_reset(raw)
        defer { sqlite3_reset(raw) }
        for (index, value) in arguments.enumerated() { Self.bind(value, Int32(index + 1), raw) }
        guard let budget else {
            guard case let code = try step(raw, body), code != SQLITE_DONE else { return }
            throw Self.error(code, db)
        }
        let code = try budget.limiting(db.sqliteConnection) { try step(raw, body) }
        guard code != SQLITE_DONE else { return }
        if budget.isSpent || code & 0xFF == SQLITE_TOOBIG { throw QueryTooCostly() }
        throw Self.error(code, db)
    }

    private func step(_ raw: OpaquePointer, _ body: (OpaquePointer) throws -> Void) throws -> Int32 {
        while true {
            let code = sqlite3_step(raw)
            guard code == SQLITE_ROW else { return code }
            try body(raw)
        }
    }

    private static func error(_ code: Int32, _ db: Database) -> DatabaseError {
        DatabaseError(resultCode: ResultCode(rawValue: code), message: db.lastErrorMessage)
    }

    private static func bind(_ value: SQLValue, _ index: Int32, _ raw: OpaquePointer) {
        switch value {
        case .null: sqlite3_bind_null(raw, index)
        case .integer(let value): sqlite3_bind_int64(raw, index, value)
        case .real(let value): sqlite3_bind_double(raw, index, value)
        case .text(let text):
            // SQLITE_TRANSIENT, a macro that Swift does not import, makes SQLite copy the string.
            let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
            _ = text.withCString { sqlite3_bind_text(raw, index, $0, Int32(text.utf8.count), copied) }
        }
    }
}

/// Decides which compiled statements of clients' queries are cached.
///
/// Statements stay cached while the database is open, so only a limited number is cached, each at its second use.
public final class StatementShapes: Sendable {
    static let limit = 512
    /// The maximum number of statements that are remembered as already used once.
    static let remembered = 1024

    private struct State {
        var kept: Set<String> = []
        var seen: Set<String> = []
    }

    private let state = Mutex(State())

    /// Creates an instance that has not seen any statement yet.
    public init() {}

    func keeps(_ sql: String) -> Bool {
        state.withLock { state in
            if state.kept.contains(sql) { return true }
            guard state.kept.count < Self.limit else { return false }
            if state.seen.remove(sql) != nil {
                state.kept.insert(sql)
                return true
            }
            if state.seen.count >= Self.remembered { state.seen.removeAll() }
            state.seen.insert(sql)
            return false
        }
    }
}
