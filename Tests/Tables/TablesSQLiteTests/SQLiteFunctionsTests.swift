import GRDB
import TablesSQL
import TestSupport
import Testing

@testable import TablesSQLite

/// Tests of the SQL functions that each connection gets, and of their cost.
@Suite(.timeLimit(.minutes(1)))
struct SQLiteFunctionsTests {
    private let queue: DatabaseQueue

    init() throws {
        var configuration = Configuration()
        configuration.prepareDatabase(SQLiteFunctions.add)
        queue = try DatabaseQueue(configuration: configuration)
    }

    @Test("a function's work is charged to the budget, in any implementation language")
    func charged() async throws {
        let mebibyte = 1024 * 1024
        let (text, steps) = (String(repeating: "A", count: mebibyte), 1000)
        let clock = TestClock()
        func isTooCostly(_ call: String, steps: Int) async throws -> Bool {
            var sql = SQLFragment("SELECT \(call)(") + SQLFragment(.text(text))
            switch call {
            case "instr", "tables_endswith": sql.append(", 'b')")
            case "replace": sql.append(", 'b', 'c')")
            default: sql.append(")")
            }
            let statement = RawStatement(query: sql, shapes: StatementShapes())
            let budget = QueryBudget(QueryBudget.Limits(steps: steps, time: .seconds(5)), clock: clock.clock)
            do {
                try await queue.read { db in try statement.run(db, within: budget) { _ in } }
                return false
            } catch is QueryTooCostly {
                return true
            }
        }
        for call in ["instr", "replace", "tables_endswith", "tables_tolower", "tables_toupper", "tables_sort_key"] {
            #expect(try await isTooCostly(call, steps: steps), "\(call)")
            #expect(try await !isTooCostly(call, steps: 2 * mebibyte), "\(call)")
        }
    }

    @Test(
        "parts are found and replaced as by SQLite",
        arguments: [
            ("instr('abc', 'c')", "3"), ("instr('äöü', 'ü')", "3"), ("instr('abc', 'd')", "0"),
            ("instr('abc', '')", "1"),
            ("instr('', 'a')", "0"), ("instr('', '')", "1"), ("instr('a', 'ab')", "0"), ("instr(NULL, 'a')", "-"),
            ("instr('a', NULL)", "-"), ("instr(123, 2)", "2"), ("replace('abcabc', 'b', 'XY')", "aXYcaXYc"),
            ("replace('aaa', 'aa', 'b')", "ba"), ("replace('abc', '', 'x')", "abc"),
            ("replace('abc', 'd', 'x')", "abc"),
            ("replace('abc', 'abc', '')", ""), ("replace('ä€', '€', 'ö')", "äö"), ("replace('a', 'a', NULL)", "-"),
            ("replace(NULL, 'a', 'b')", "-"), ("replace('', 'a', 'b')", ""),
        ]
    )
    func functions(_ call: String, _ expected: String) async throws {
        let sql = "SELECT coalesce(CAST(\(call) AS TEXT), '-')"
        let theirs = try DatabaseQueue()
        #expect(try await queue.read { db in try String.fetchOne(db, sql: sql) } == expected)
        #expect(try await theirs.read { db in try String.fetchOne(db, sql: sql) } == expected, "SQLite's own")
    }
}
