import Foundation
import GRDB
import GRDBSQLite
import Synchronization

/// Counts the statements that ran, so a test can check how the statements find their rows and how often they run.
public final class StatementLog: Sendable {
    private let runs = Mutex<[String: Int]>([:])

    /// Creates an empty log.
    public init() {}

    /// The statements without their arguments, sorted.
    public var statements: [String] { Set(runs.withLock { $0.keys.compactMap(Self.statement) }).sorted() }

    func count(containing text: String) -> Int {
        runs.withLock { runs in
            runs.reduce(0) { $0 + (Self.statement($1.key)?.contains(text) == true ? $1.value : 0) }
        }
    }

    func removeAll() { runs.withLock { $0.removeAll() } }

    /// Starts recording the statements of a connection, which must not outlive the log.
    ///
    /// GRDB's own trace takes twenty times as long, because it trims the SQL on every run.
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

    /// Returns a statement without surrounding spaces and semicolons, or `nil` if it is not one of the store's.
    private static func statement(_ text: String) -> String? {
        // SQLite reports a trigger's statements as comments, and GRDB itself reads the schema.
        guard !text.hasPrefix("--"), !text.contains("sqlite_master") else { return nil }
        return text.trimmingCharacters(in: separators)
    }

    private static let separators = CharacterSet(charactersIn: ";").union(.whitespacesAndNewlines)
}

extension DurableDatabase {
    /// Returns the plans of recorded statements that scan a whole table or have a condition that is always true.
    ///
    /// `bounded` lists small tables that may be scanned, each with its maximum number of rows.
    public func scans(in log: StatementLog, bounded: [String: Int] = [:]) throws -> [String] {
        let verbs = ["SELECT", "INSERT", "UPDATE", "DELETE", "WITH"]
        let texts = log.statements.filter { text in verbs.contains { text.hasPrefix($0) } }
        let tricks = texts.filter { text in Self.tricks.contains { text.contains($0) } }
        return try tricks
            + pool.writeWithoutTransaction { db in
                try texts.flatMap { text -> [String] in
                    // A statement whose table or column no longer exists has no plan.
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

    /// Fragments of SQL conditions that match every row, some of them only if an argument is NULL.
    private static let tricks = ["> ''", ">= ''", "<> ''", "!= ''", "IS NULL OR"]
}
