import HTTPServer
import Metrics
import Tables
import TablesStore

/// What is counted of one table, made before requests come, which therefore spell no label.
struct TableMetrics: Sendable {
    /// Rows that were shown.
    let read: Counter
    /// Rows that were made.
    let inserted: Counter
    /// Rows that were changed.
    let updated: Counter
    /// Rows that were deleted.
    let deleted: Counter
    /// Rows that were brought back.
    let undeleted: Counter
    /// Lists that ask for deleted rows, too, as whoever follows a table does.
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

    /// Those of all tables by name.
    static func of(_ tables: [TableDeclaration]) -> [String: TableMetrics] {
        Dictionary(tables.map { ($0.name, TableMetrics($0.name)) }) { first, _ in first }
    }
}

/// Refusals of the tables by what was wrong; the words are the code's own.
enum TableRefusals {
    static func count(_ reason: String) {
        Counter(label: "tables_refusals", dimensions: [("reason", reason)]).increment()
    }

    static func count(_ error: TablesStoreError) {
        // As `cannot_undelete`, like the reasons of the broker.
        count(error.code.rawValue.reduce(into: "") { $0 += $1.isUppercase ? "_\($1.lowercased())" : "\($1)" })
    }

    /// Counts the refusal that ends a request to a table.
    static func counting<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let problem as HTTPProblem {
            count(problem.code)
            throw problem
        }
    }
}
