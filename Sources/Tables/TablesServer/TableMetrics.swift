import HTTPServer
import Metrics
import Tables
import TablesStore

/// The counters of one table, made once at the start so that requests need not build labels.
struct TableMetrics: Sendable {
    /// Rows that were returned.
    let read: Counter
    /// Rows that were inserted.
    let inserted: Counter
    /// Rows that were updated.
    let updated: Counter
    /// Rows that were deleted.
    let deleted: Counter
    /// Rows that were undeleted.
    let undeleted: Counter
    /// Lists that include deleted rows, as clients that synchronize a table ask for.
    let pulls: Counter

    init(_ table: String) {
        func rows(_ operation: String) -> Counter {
            Counter(label: "tables_rows", dimensions: [("table", table), ("operation", operation)])
        }
        read = rows("read")
        inserted = rows("insert")
        updated = rows("update")
        deleted = rows("delete")
        undeleted = rows("undelete")
        pulls = Counter(label: "tables_pulls", dimensions: [("table", table)])
    }

    /// The counters of all tables, by table name.
    static func of(_ tables: [TableDeclaration]) -> [String: TableMetrics] {
        Dictionary(tables.map { ($0.name, TableMetrics($0.name)) }) { first, _ in first }
    }
}

/// Counters of refused table requests, by error code.
enum TableRefusals {
    static func count(_ reason: String) {
        Counter(label: "tables_refusals", dimensions: [("reason", reason)]).increment()
    }

    static func count(_ error: TablesStoreError) {
        // In snake case (`cannot_undelete`), like the broker's reasons.
        count(error.code.rawValue.reduce(into: "") { $0 += $1.isUppercase ? "_\($1.lowercased())" : "\($1)" })
    }

    /// Runs `body` and counts the refusal if it throws one.
    static func counting<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let problem as HTTPProblem {
            count(problem.code)
            throw problem
        }
    }
}
