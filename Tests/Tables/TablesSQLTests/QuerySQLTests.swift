import Tables
import TablesSQL
import Testing

@Suite(.timeLimit(.minutes(2)))
struct QuerySQLTests {
    private let table: SampleTable

    init() throws {
        table = try SampleTable()
    }

    private func expected(_ filter: Filter) -> [String] {
        SampleTable.samples.filter { Evaluation(row: $0).wants(filter.root) }.map(\.id)
    }

    @Test("SQLite finds the rows that random conditions describe", arguments: 0..<60)
    func property(_ seed: Int) throws {
        var conditions = RandomConditions(seed: UInt64(seed))
        for _ in 0..<25 {
            let filter = try Filter(conditions.condition(4))
            let sql: SQLFragment
            do { sql = try table.sql.condition(filter) } catch {
                try #require(error.message == "is nested too deeply", "\(error): \(filter.text)")
                continue
            }
            try #require(try table.ids(sql) == expected(filter), "\(filter.text)")
        }
    }

    @Test(
        "a date with digits beyond milliseconds lies between two stored dates",
        arguments: [
            ("due lt X0901Z", "due le X090Z"), ("due le X0901Z", "due le X090Z"), ("due gt X0901Z", "due gt X090Z"),
            ("due ge X0901Z", "due gt X090Z"), ("due eq X0901Z", "false"), ("due ne X0901Z", "due ne null"),
            ("due in (X090Z,X0901Z)", "due eq X090Z"), ("'X0901Z' gt due", "due le X090Z"),
            ("second(X0901Z) eq second(X090Z)", "true"), ("second('X0901Z') eq second(X090Z)", "true"),
            ("due lt X0900000Z", "due lt X090Z"),
        ]
    ) func fractions(_ filter: String, _ same: String) throws {
        // The sample has rows at these times.
        for time in ["2000-02-29T00:00:00.000", "1969-12-31T23:59:59.999"] {
            let (filter, same) = (filter.replacing("X090", with: time), same.replacing("X090", with: time))
            #expect(try table.ids(filter) == table.ids(same), "\(filter)")
        }
    }

    @Test(
        "SQLite finds the rows that each operator and function describes",
        arguments: [
            "text eq 'abc'", "text ne 'abc'", "text gt 'a'", "text ge 'abc'", "text lt 'a'", "text le ''",
            "number eq 2.5", "number ne 1", "number gt -1", "whole ge 1", "whole lt 0", "number le whole",
            "due gt 1970-01-01", "due eq datetime'1970-01-01T00:00:00Z'", "due le '2000-02-29T00:00:00Z'",
            "done", "not done", "done eq true", "done eq false", "done eq 1", "0 eq done", "done ne true",
            "(text eq null) eq done",
            "done and number gt 0", "done or number gt 0", "done or text eq null or other eq null",
            "not (done and number gt 0)",
            "text eq null", "null eq text", "text ne null", "null ne text", "text lt null", "not (text lt null)",
            "null eq null",
            "null ne null", "not null", "number add null eq 1", "done eq other eq null",
            "true", "false", "not false", "text in ('a','bc','')", "not (text in ('a','bc'))", "whole in (1,null,-3)",
            "not (whole in (1,null))", "due in (1970-01-01,'1969-12-31T23:59:59.999Z')", "number in (2.5,3,7d)",
            "whole add 1 eq 2", "whole sub 1 eq -2", "whole mul 2 eq 14", "whole div 2 eq 3", "whole div 2 eq -1",
            "number div 2 eq 1.25", "whole mod 2 eq 1", "whole mod 2 eq -1", "number mod 2 eq 0.5",
            "number mod 2 eq -1",
            "whole div 0 eq null", "number div 0 eq null", "whole mod 0 eq null", "number mod 0 eq null", "-whole gt 2",
            "--number gt 2", "7 div 2 eq 3", "7.0 div 2 eq 3.5", "-7 div 2 eq -3", "7d div 2 eq 3.5", "-7 mod 3 eq -1",
            "9223372036854775807 mod -1 eq 0", "1 add 2 mul 3 eq 7",
            "substringof('c',text)", "substringof('%',text)", "substringof('_',text)", "substringof('',text)",
            "contains(text,'b')", "contains(text,'\u{E9}')", "startswith(text,'a')", "startswith(text,'%')",
            "startswith(text,'')", "startswith(text,'100%')", "startswith(text,'a_')", "endswith(text,'c')",
            "endswith(text,'')", "endswith(text,'%')", "endswith(text,'xxabc')", "endswith(text,'bc')",
            "endswith(text,text)",
            "startswith(text,null)", "indexof(text,'c') eq 2", "indexof(text,'x') eq -1", "indexof(text,'x') eq 1",
            "indexof(text,'') eq 0", "substring(text,1) eq 'bc'", "substring(text,0,1) eq 'a'",
            "substring(text,1,1) eq 'x'",
            "substring(text,-1) eq 'abc'", "substring(text,99) eq ''", "substring(text,0,-1) eq ''",
            "substring(text,1.9,1.9) eq 'b'", "concat(text,'c') eq 'abcc'", "concat(text,null) eq null",
            "replace(text,'b','x') eq 'axc'", "replace(text,'','x') eq 'a'", "length(text) eq 3", "length(text) eq 7",
            "length(concat(text,' ')) eq 1", "tolower(text) eq 'abc'", "tolower(text) eq 'stra\u{DF}e'",
            "toupper(text) eq 'STRASSE'", "toupper(text) eq 'AM\u{C9}LIE'", "trim(text) eq 'two'", "year(due) eq 2000",
            "month(due) eq 2", "day(due) eq 29", "hour(due) eq 23", "minute(due) eq 59", "second(due) eq 59",
            "year(due) eq 1969", "year(due) eq 1600", "year('2015-06-01') eq 2015", "floor(number) eq -3",
            "floor(number) eq 2",
            "ceiling(number) eq 3", "ceiling(number) eq -2", "round(number) eq 3", "round(number) eq -3",
            "round(number) eq 1",
            "round(whole) eq 7", "floor(null) eq null", "(text eq 'a') eq (other eq 'a')",
            "(done and done) lt (text ne null)",
            "not not done", "not (not done)", "TEXT eq 'a' and Done", "id eq 'row7'",
        ]
    )
    func examples(_ text: String) throws {
        let filter: Filter
        do { filter = try Filter(parsing: text) } catch {
            Issue.record("\(error)")
            return
        }
        guard text != "done eq other eq null" else {
            let problem = #expect(throws: QueryProblem.self) { try table.sql.condition(filter) }
            #expect(problem?.message.contains("cannot be compared with") == true)
            return
        }
        #expect(try table.ids(table.sql.condition(filter)) == Self.converted(filter, expected))
    }

    /// Returns the ids that `filter` must find.
    ///
    /// The evaluation in Swift does not convert literals to other types. A filter that requires a conversion is
    /// therefore replaced with an equivalent filter that does not.
    private static func converted(_ filter: Filter, _ expected: (Filter) -> [String]) throws -> [String] {
        let texts = [
            "done eq 1": "done eq true", "0 eq done": "false eq done",
            "due le '2000-02-29T00:00:00Z'": "due le 2000-02-29T00:00:00Z",
            "due in (1970-01-01,'1969-12-31T23:59:59.999Z')": "due in (1970-01-01,1969-12-31T23:59:59.999Z)",
            "year('2015-06-01') eq 2015": "year(2015-06-01) eq 2015",
        ]
        for (text, other) in texts where try Filter(parsing: text) == filter {
            return expected(try Filter(parsing: other))
        }
        return expected(filter)
    }

    @Test("the examples find at least one row")
    func notEmpty() throws {
        #expect(try table.ids("substringof('%',text)").count == 3)
        #expect(try table.ids("startswith(text,'a_')").count == 3)
        #expect(try table.ids("not done").count == 20)
        #expect(try table.ids("toupper(text) eq 'STRASSE'").count > 0)
        #expect(try table.ids("indexof(text,'x') eq 1").count > 0)
        #expect(try table.ids("number mod 2 eq 0.5").count > 0)
        #expect(try table.ids("year(due) eq 1600").count > 0)
    }

    @Test("values are arguments and never part of the SQL text") func arguments() throws {
        let hostile = "x'; DROP TABLE sample; --"
        let filter = try Filter(.compare(.equal, .column("text"), .literal(.string(hostile))))
        let sql = try table.sql.condition(filter)
        #expect(sql.sql == "(\"text\" = $1)")
        #expect(sql.arguments == [.text(hostile)])
        #expect(try table.ids(sql).isEmpty)
    }

    @Test("predicates that ignore case match regardless of case") func ignoringCase() throws {
        let sql = try table.sql.condition(Filter(predicate: "text CONTAINS[c] 'B' AND NOT text == 'bc'"))
        let found = try table.ids(sql)
        #expect(found == SampleTable.samples.filter { ["abc", "aBc"].contains($0.text) }.map(\.id))
    }

    @Test("a predicate compares a date with its text") func dates() throws {
        let sql = try table.sql.condition(Filter(predicate: "due >= '2000-02-29' AND due < '2000-03-01'"))
        #expect(sql.arguments == [.integer(951_782_400_000), .integer(951_868_800_000)])
    }

    @Test(
        "SQLite parses the maximum depth in every shape",
        arguments: [
            "tolower(%)", "concat('a',%)", "concat(%,'a')", "trim(%)", "substring(%,1,2)",
        ]
    )
    func deepestTexts(_ shape: String) throws {
        try deepest(from: "text", shape: shape) { "\($0) eq 'a'" }
    }

    @Test(
        "SQLite parses the maximum depth in every condition",
        arguments: [
            "not (%)", "done and (done or (%))", "(done and (%)) or done", "(%) eq done", "done ne (%)",
            "done and (%) and done",
            "not ((%) in (true,false,null))",
        ]
    )
    func deepestConditions(_ shape: String) throws {
        try deepest(from: "done", shape: shape) { $0 }
    }

    @Test(
        "SQLite parses the maximum depth in every number",
        arguments: [
            "(%) add 1", "1 sub (%)", "-(%)", "1 mod (%)", "(%) mod 1", "floor(%)", "length(substring(text,(%)))",
            "indexof(text,substring(text,(%)))",
        ]
    )
    func deepestNumbers(_ shape: String) throws {
        try deepest(from: "number", shape: shape) { "\($0) gt 1" }
    }

    /// Nests a condition more and more deeply until it is rejected.
    ///
    /// SQLite must be able to parse every condition that is not rejected.
    private func deepest(from start: String, shape: String, _ condition: (String) -> String) throws {
        var text = start
        for depth in 1...70 {
            text = shape.replacing("%", with: text)
            let sql: SQLFragment
            do { sql = try table.sql.condition(Filter(parsing: condition(text))) } catch {
                let message = error.message
                #expect(message.contains("nested"))
                #expect(depth > 5)
                return
            }
            _ = try table.ids(sql)
        }
    }

    @Test("long lists and long chains are parsed") func wide() throws {
        let values = (0..<900).map { "'row\($0)'" }.joined(separator: ",")
        #expect(try table.ids("id in (\(values))").count == 60)
        var limits = QueryLimits()
        limits.length = 1 << 20
        for word in ["or", "and"] {
            let chain = Array(repeating: "done", count: 999).joined(separator: " \(word) ")
            #expect(try table.ids(table.sql.condition(Filter(parsing: chain, limits: limits))).count == 20)
        }
        let comparisons = (0..<330).map { "id eq 'row\($0)'" }.joined(separator: " or ")
        #expect(try table.ids(comparisons).count == 60)
    }

    @Test("a condition on an indexed column uses its index") func index() throws {
        let plan = try table.plan(table.sql.condition(Filter(parsing: "id eq 'row1'")))
        #expect(plan.contains { $0.hasPrefix("SEARCH sample USING") })
    }
}
