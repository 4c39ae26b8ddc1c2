// Hand-written: reads and writes go to SQLite without an object for each value in between.
import Foundation
public import GRDB
import GRDBSQLite
import Synchronization
public import TablesSQL

/// One statement with its arguments, run row by row.
public struct RawStatement: Sendable {
    private let sql: String
    private let arguments: [SQLValue]
    private let isKept: Bool

    /// A statement of ours, whose text does not vary, so that each connection keeps it compiled.
    public init(_ sql: String, _ arguments: [SQLValue]) {
        self.sql = sql
        self.arguments = arguments
        isKept = true
    }

    /// A statement of a client's query, of which only so many are kept.
    public init(query: SQLFragment, shapes: StatementShapes) {
        sql = query.sql
        arguments = query.arguments
        isKept = shapes.keeps(sql)
    }

    /// Runs it to its end.
    ///
    /// - Returns: The number of rows that it changed.
    @discardableResult
    public func run(_ db: Database) throws -> Int {
        try run(db) { _ in }
        return Int(sqlite3_changes(db.sqliteConnection))
    }

    /// Runs it to its end and calls `body` for each row.
    ///
    /// - Parameters:
    ///   - db: The connection.
    ///   - budget: The most that it may cost; nil for no bound.
    ///   - body: Called for each row.
    /// - Throws: ``QueryTooCostly`` when the budget is used up or a value grows too long, and what SQLite says.
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
            // SQLITE_TRANSIENT, a macro that Swift does not see: SQLite copies the text, which ends with the call.
            let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
            _ = text.withCString { sqlite3_bind_text(raw, index, $0, Int32(text.utf8.count), copied) }
        }
    }
}

/// Decides which of the statements that clients' queries make are kept compiled.
///
/// The database keeps what it is told to keep for as long as it is open, so that must have a bound: a statement is kept
/// from its second use on while there is room. Who sends ever new shapes of queries pays for compiling them, nothing else.
public final class StatementShapes: Sendable {
    /// Most statements of queries that are kept.
    static let limit = 512
    /// Most texts of which a first use is remembered.
    static let remembered = 1024

    private struct State {
        var kept: Set<String> = []
        var seen: Set<String> = []
    }

    private let state = Mutex(State())

    /// Nothing is kept yet.
    public init() {}

    /// True if the statement is to be kept compiled.
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
