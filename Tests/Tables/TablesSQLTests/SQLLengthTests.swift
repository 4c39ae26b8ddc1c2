import Tables
import TablesSQL
import Testing

/// Tests that the length of an expression's SQL is proportional to the length of its URL.
///
/// For this reason, no operand may occur twice in the SQL.
@Suite(.timeLimit(.minutes(2)))
struct SQLLengthTests {
    private let table: SampleTable

    init() throws {
        table = try SampleTable()
    }

    /// Returns the maximum length of the SQL for a URL, in bytes.
    private static func most(_ address: String) -> Int { 16 * address.utf8.count + 64 }

    private func check(_ sql: SQLFragment, _ address: String) throws {
        try #require(sql.sql.utf8.count <= Self.most(address), "\(address)")
        try #require(sql.arguments.count <= address.utf8.count, "\(address)")
    }

    @Test("the SQL of conditions and orders is linear in the length of their URLs", arguments: 0..<40)
    func random(_ seed: Int) throws {
        var conditions = RandomConditions(seed: UInt64(seed))
        var checked = 0
        for depth in [2, 3, 4, 5, 6, 7] {
            let trees = [conditions.condition(depth), conditions.text(depth), conditions.number(depth)]
            for tree in trees {
                let term = SortTerm(tree)
                guard let sql = try? table.sql.order([term]) else { continue }
                try check(sql, term.text)
                checked += 1
            }
            guard let filter = try? Filter(trees[0]), let sql = try? table.sql.condition(filter) else { continue }
            try check(sql, filter.text)
            checked += 1
        }
        #expect(checked > 0, "none of the expressions could be translated")
    }

    @Test(
        "the SQL of every operator and function is linear in its nesting depth",
        arguments: [
            "not (%)", "(%) eq done", "done ne (%)", "(%) in (true,null)", "(%) in (true)", "(%) in (null)",
            "(%) and done", "done or (%)", "(%) eq null", "null ne (%)", "(%) in (true,null) in (true,null)",
        ]
    )
    func conditions(_ shape: String) throws {
        try nest("done", in: shape) { $0 }
    }

    @Test(
        "the SQL of every calculation is linear in its nesting depth",
        arguments: [
            "(%) add 1", "1 sub (%)", "(%) mul number", "number div (%)", "(%) mod 2", "-(%)", "floor(%)", "ceiling(%)",
            "round(%)", "length(substring(text,%))", "indexof(text,substring(text,0,%))",
        ]
    )
    func numbers(_ shape: String) throws {
        try nest("number", in: shape) { "\($0) gt 1" }
    }

    @Test(
        "the SQL of every text function is linear in its nesting depth",
        arguments: [
            "tolower(%)", "toupper(%)", "trim(%)", "concat(%,'a')", "concat('a',%)", "substring(%,1)",
            "substring(%,1,2)",
        ]
    )
    func texts(_ shape: String) throws {
        for condition in [
            "# eq 'a'", "startswith(#,'a')", "endswith(#,'a')", "endswith(text,#)", "contains(#,text)",
            "substringof(#,text)", "indexof(#,'a') eq 1", "length(#) gt 1", "# in ('a',null)",
            "replace(#,'a','b') eq #",
        ] {
            try nest("text", in: shape) { condition.replacing("#", with: $0) }
        }
    }

    @Test("the SQL of a long order and a long list is linear in the length of its URL") func wide() throws {
        let order = Array(repeating: "text desc,tolower(text),done eq true", count: 30).joined(separator: ",")
        try check(table.sql.order(SortTerm.parsing(order)), order)
        let list = "text in (" + (0..<900).map { "'\($0)'" }.joined(separator: ",") + ",null)"
        try check(table.sql.condition(Filter(parsing: list)), list)
    }

    @Test("forty consecutive lists are one short condition") func chain() throws {
        for links in [1, 2, 7, 40] {
            let text = "done" + String(repeating: " in (true,null)", count: links)
            let filter = try Filter(parsing: text)
            let sql: SQLFragment
            do { sql = try table.sql.condition(filter) } catch {
                #expect(error.message == "is nested too deeply" && links == 40)
                continue
            }
            try check(sql, text)
            #expect(
                try table.ids(sql) == SampleTable.samples.filter { Evaluation(row: $0).wants(filter.root) }.map(\.id)
            )
        }
    }

    @Test("an expression that is too deep or too long is rejected at the position where it exceeds the limit")
    func bounded() throws {
        var limits = QueryLimits()
        (limits.length, limits.nodes) = (1 << 20, 100_000)
        let deep = String(repeating: "not (", count: 60) + "done" + String(repeating: ")", count: 60)
        let tooDeep = #expect(throws: QueryProblem.self) {
            try table.sql.condition(Filter(parsing: "(\(deep)) or nothing", limits: limits))
        }
        #expect(tooDeep?.message == "is nested too deeply" && (tooDeep?.position ?? 0) > 5)
        let long = Array(repeating: "done", count: 30_000).joined(separator: " or ")
        let tooLong = #expect(throws: QueryProblem.self) {
            try table.sql.condition(Filter(parsing: "(\(long)) and nothing", limits: limits))
        }
        #expect(tooLong?.message == "is too long" && tooLong?.option == "$filter")
    }

    /// Nests a condition more and more deeply until it is rejected, and checks the SQL at every depth.
    private func nest(_ start: String, in shape: String, _ condition: (String) -> String) throws {
        var text = start
        for depth in 1...70 {
            text = shape.replacing("%", with: text)
            let address = condition(text)
            do { try check(table.sql.condition(Filter(parsing: address)), address) } catch {
                let problem = try #require(error as? QueryProblem)
                #expect(problem.message.contains("nested") && depth > 3, "\(problem): \(address.prefix(80))")
                return
            }
        }
    }
}
