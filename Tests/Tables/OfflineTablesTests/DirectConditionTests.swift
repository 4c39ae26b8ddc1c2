import Tables
import TablesClient
import TestSupport
import Testing

@testable import OfflineTables

@Suite("The condition of a list", .timeLimit(.minutes(1)))
struct DirectConditionTests {
    /// Rows with every combination of values and nulls, in no particular order.
    private static var rows: [RemoteRow] {
        let values: [TableValue] = [.null, .boolean(true), .boolean(false)]
        var rows: [RemoteRow] = []
        for complete in values {
            for (number, text) in [TableValue.null, "a"].enumerated() {
                rows.append(
                    RemoteRow(
                        id: .random(),
                        values: ["complete": complete, "text": text],
                        createdAt: Int64(10 - rows.count * 3 + number)
                    )
                )
            }
            rows.append(RemoteRow(id: .random(), values: ["complete": complete]))
        }
        return rows
    }

    @Test(
        "finds the same rows in the same order without a database as in SQL",
        arguments: [
            "complete == NO OR complete == NULL", "complete == YES", "complete != NO", "NOT (complete == NO)",
            "NOT (complete == NULL)", "complete != NULL AND complete == NO", "text == NULL OR complete == YES",
            "NOT (complete == YES AND text == NULL)", "COMPLETE == NO AND Text != NULL",
        ]
    )
    func likeSQL(_ predicate: String) throws {
        let table = try TableDeclaration.todoitem
        let filter = try Filter(predicate: predicate)
        let condition = try #require(DirectCondition(filter, of: table))
        let rows = Self.rows
        var query = Query()
        query.filter = filter
        // A query with an explicit order is evaluated in SQL.
        query.order = [SortTerm("createdAt")]
        let found = try RowSelection(declaration: table).rows(query, of: rows).rows
        #expect(Set(rows.filter(condition.matches)) == Set(found))
        query.order = []
        let direct = try RowSelection(declaration: table).rows(query, of: rows).rows
        #expect(Set(direct) == Set(found))
        #expect(direct.map { $0.createdAt ?? .max } == direct.map { $0.createdAt ?? .max }.sorted())
    }

    @Test(
        "runs in SQL if it has other parts",
        arguments: [
            "text == 'a'", "priority > 1", "complete == NO AND text == 'a'", "nothing == NULL", "deleted == NO",
        ]
    )
    func other(_ predicate: String) throws {
        #expect(DirectCondition(try Filter(predicate: predicate), of: try .todoitem) == nil)
    }
}
