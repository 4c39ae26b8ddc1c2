import Foundation
import GRDB
import GRDBSQLite
import Synchronization

/// Remembers each statement that ran and how often, so that a test can ask how each finds its rows, and count them.
public final class StatementLog: Sendable {
    private let runs = Mutex<[String: Int]>([:])

    /// An empty log.
    public init() {}

    /// The statements, without their arguments, sorted.
    public var statements: [String] { Set(runs.withLock { $0.keys.compactMap(Self.statement) }).sorted() }

    /// The number of times that statements with a text ran.
    func count(containing text: String) -> Int {
        runs.withLock { runs in
            runs.reduce(0) { $0 + (Self.statement($1.key)?.contains(text) == true ? $1.value : 0) }
        }
    }

    func removeAll() { runs.withLock { $0.removeAll() } }

    /// Remembers the statements that a connection runs from now on; the log has to outlive it.
    ///
    /// GRDB's own trace trims each text at each run, which takes twenty times as long as to count it. This log trims each once,
    /// when it is read.
    func follow(_ db: Database) {
        let log = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_trace_v2(
            db.sqliteConnection,
            UInt32(SQLITE_TRACE_STMT),
            { _, log, _, text in
                guard let log, let text else { return SQLITE_OK }
                Unmanaged<StatementLog>.fromOpaque(log).takeUnretainedValue()
                    .record(String(cString: text.assumingMemoryBound(to: CChar.self)))
                return SQLITE_OK
            },
            log
        )
    }

    private func record(_ text: String) { runs.withLock { $0[text, default: 0] += 1 } }

    /// A statement without what separates it from others; nil for what is not a statement of the store's own.
    private static func statement(_ text: String) -> String? {
        // SQLite shows what triggers run as comments, and GRDB looks at the schema on its own.
        guard !text.hasPrefix("--"), !text.contains("sqlite_master") else { return nil }
        return text.trimmingCharacters(in: separators)
    }

    private static let separators = CharacterSet(charactersIn: ";").union(.whitespacesAndNewlines)
}

extension DurableDatabase {
    /// The plans of statements of `log` that read a whole table, as `EXPLAIN QUERY PLAN` shows them, and statements
    /// whose plan says nothing, since a condition that always holds makes a search of what is a scan.
    ///
    /// - Parameters:
    ///   - log: The statements.
    ///   - bounded: Tables that may be read whole, since they are small: each with the greatest number of its rows.
    /// - Returns: The plans and statements; empty if each finds its rows by an index.
    /// - Throws: The error of SQLite.
    public func scans(in log: StatementLog, bounded: [String: Int] = [:]) throws -> [String] {
        let verbs = ["SELECT", "INSERT", "UPDATE", "DELETE", "WITH"]
        let texts = log.statements.filter { text in verbs.contains { text.hasPrefix($0) } }
        let tricks = texts.filter { text in Self.tricks.contains { text.contains($0) } }
        return try tricks
            + pool.writeWithoutTransaction { db in
                try texts.flatMap { text -> [String] in
                    // One of a table or a column that is gone again has no plan.
                    guard let statement = try? db.makeStatement(sql: "EXPLAIN QUERY PLAN \(text)") else { return [] }
                    statement.setUncheckedArguments([:])
                    return try Row.fetchAll(statement).compactMap { row -> String? in
                        let plan: String = try row.get("detail")
                        guard plan.hasPrefix("SCAN"), plan != "SCAN CONSTANT ROW" else { return nil }
                        let table = plan.split(separator: " ").dropFirst().first.map(String.init)
                        return table.flatMap { bounded[$0] } == nil ? "\(plan): \(text)" : nil
                    }
                }
            }
    }

    /// Conditions that hold for every row, or for every row where an argument is NULL.
    private static let tricks = ["> ''", ">= ''", "<> ''", "!= ''", "IS NULL OR"]
}
