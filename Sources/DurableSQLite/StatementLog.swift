import GRDB
import Synchronization

/// Remembers each statement that ran, once, so that a test can ask how each finds its rows.
public final class StatementLog: Sendable {
    private let texts = Mutex<Set<String>>([])

    /// An empty log.
    public init() {}

    /// The statements, without their arguments, sorted.
    public var statements: [String] { texts.withLock { $0.sorted() } }

    func record(_ text: String) {
        // SQLite shows what triggers run as comments, and GRDB looks at the schema on its own.
        guard !text.hasPrefix("--"), !text.contains("sqlite_master") else { return }
        texts.withLock { _ = $0.insert(text) }
    }
}

extension DurableDatabase {
    /// The plans of statements of `log` that read a whole table, as `EXPLAIN QUERY PLAN` shows them.
    public func scans(in log: StatementLog) throws -> [String] {
        let verbs = ["SELECT", "INSERT", "UPDATE", "DELETE", "WITH"]
        let texts = log.statements.filter { text in verbs.contains { text.hasPrefix($0) } }
        return try pool.read { db in
            try texts.flatMap { text in
                let statement = try db.makeStatement(sql: "EXPLAIN QUERY PLAN \(text)")
                statement.setUncheckedArguments([:])
                return try Row.fetchAll(statement).compactMap { row -> String? in
                    let plan: String = try row.get("detail")
                    return plan.hasPrefix("SCAN") && plan != "SCAN CONSTANT ROW" ? "\(plan): \(text)" : nil
                }
            }
        }
    }
}
