import HTTPServer
import Metrics
import Tables
import TablesStore

/// The counters of one table, created once at startup so that requests do not have to build labels.
struct TableMetrics: Sendable {
    let read: Counter
    let inserted: Counter
    let updated: Counter
    let deleted: Counter
    let undeleted: Counter
    /// The number of list requests that include deleted rows, sent by clients that synchronize the table.
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

    static func of(_ tables: [TableDeclaration]) -> [String: TableMetrics] {
        Dictionary(tables.map { ($0.name, TableMetrics($0.name)) }) { first, _ in first }
    }
}

enum TableRefusals {
    static func count(_ reason: String) {
        Counter(label: "tables_refusals", dimensions: [("reason", reason)]).increment()
    }

    static func count(_ error: TablesStoreError) {
        // The reason is in snake case (`cannot_undelete`), like the reasons in the broker's errors.
        count(error.code.rawValue.reduce(into: "") { $0 += $1.isUppercase ? "_\($1.lowercased())" : "\($1)" })
    }

    static func counting<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let problem as HTTPProblem {
            count(problem.code)
            throw problem
        }
    }
}
