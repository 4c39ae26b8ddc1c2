import Tables
import Testing

@Suite(.timeLimit(.minutes(2)))
struct FilterProblemTests {
    @Test(
        "a filter with a syntax error is rejected with the position",
        arguments: [
            ("", "Syntax error", 0),
            ("a eq", "Syntax error", 4),
            ("eq", nil, 0),
            ("a b", "Syntax error", 2),
            ("a eq eq eq", "Syntax error", 10),
            ("a == 1", "Syntax error", 2),
            ("a eq 'x", "Unterminated string literal", 5),
            ("'é' eq 'x", "Unterminated string literal", 7),
            ("(a eq 1", "Unbalanced parentheses", 0),
            ("a eq 1)", "Unbalanced parentheses", 6),
            ("length(a", "Unbalanced parentheses", 6),
            ("()", "Unbalanced parentheses", 1),
            ("length(a,)", "Unbalanced parentheses", 9),
            ("a and or b", "Syntax error", 9),
            ("foo(a) eq 1", "Unknown identifier 'foo'", 0),
            ("1 eq foo(a)", "Unknown identifier 'foo'", 5),
            ("endswith(a)", "Function 'endswith' requires 2 parameters.", 0),
            ("length()", "Function 'length' requires 1 parameter.", 0),
            ("a and tolower(a,b)", "Function 'tolower' requires 1 parameter.", 6),
            ("substring(a)", "Function 'substring' requires 2 or 3 parameters.", 0),
            ("replace(a,b)", "Function 'replace' requires 3 parameters.", 0),
            ("replace(replace(a,'x','y'),'y','z') eq 'z'", "Calls to 'replace' cannot be nested.", 0),
            ("replace(a,concat('x',replace(b,'p','q')),'z')", "Calls to 'replace' cannot be nested.", 0),
            (
                "replace(a,'x',b)",
                "The third parameter of 'replace' must be a constant string of at most 100 characters.", 0
            ),
            ("a in ()", "Unbalanced parentheses", 6),
            ("a in 1", "Syntax error", 5),
            ("a in (b)", "Syntax error", 6),
            ("a in (1", "Unbalanced parentheses", 5),
            ("datetime'yesterday' lt a", "'yesterday' is not a date", 0),
            ("datetimeoffset'0001-01-01T00:00:00+01:00' lt a", "'0001-01-01T00:00:00+01:00' is not a date", 0),
            ("a ge 2015-02-30", "'2015-02-30' is not a date", 5),
            ("guid'12' eq id", "'12' is not a GUID", 0),
            ("binary'12' eq id", "Syntax error", 0),
            ("a gt 1e999", "The number is out of range", 5),
            ("a gt -99999999999999999999l", "The number is out of range", 5),
            ("a gt 12x", "Syntax error", 5),
            ("a gt 1.2.3", "Syntax error", 5),
            ("a gt 1.5l", "The number is out of range", 5),
            ("a gt 1e", "Syntax error", 5),
            ("a & b", "Syntax error", 2),
            ("\u{0}", "Syntax error", 0),
            ("cast(2015-01-01 eq a", "Syntax error", 16), ("cast(,Edm.Date) eq a", "'' is not a date", 0),
            ("cast(tomorrow,Edm.DateTimeOffset) eq a", "'tomorrow' is not a date", 0),
            ("cast(12,Edm.Guid) eq a", "'12' is not a GUID", 0),
            ("cast(12,Edm.Int32) eq a", "Only dates and GUIDs can be cast", 0),
            ("cast(2015-01-01,Edm.Date,1)", "Syntax error", 24),
            ("a eq \u{2018}x\u{2019}", "Syntax error", 5),
            ("not", "Syntax error", 3),
        ] as [(String, String?, Int)]
    )
    func refused(_ text: String, _ message: String?, _ position: Int) throws {
        guard let message else {
            #expect(try Filter(parsing: text).root == .column(text))
            return
        }
        let problem = #expect(throws: QueryProblem.self) { try Filter(parsing: text) }
        #expect(problem?.message == message)
        #expect(problem?.position == position && problem?.option == "$filter" && problem?.code == nil)
    }

    @Test(
        "an order with a syntax error is rejected with the position",
        arguments: [("", 0), ("a,", 2), ("a desc asc", 7), ("a up", 2), (",a", 0), ("a)", 1)]
    )
    func order(_ text: String, _ position: Int) {
        let problem = #expect(throws: QueryProblem.self) { try SortTerm.parsing(text) }
        #expect(problem?.position == position)
        #expect(problem?.option == "$orderby")
    }

    @Test("the response names option, message and position") func description() {
        let problem = #expect(throws: QueryProblem.self) { try Filter(parsing: "a eq 'x") }
        #expect(problem.map { "\($0)" } == "$filter: Unterminated string literal (at position 5)")
    }

    // MARK: Hostile sizes

    @Test(
        "unlimited nesting is rejected before it does harm",
        arguments: [
            String(repeating: "(", count: 8000),
            String(repeating: "(", count: 2000) + "a" + String(repeating: ")", count: 2000),
            String(repeating: "not ", count: 2000) + "a", String(repeating: "-", count: 8000) + "a",
            String(repeating: "tolower(", count: 1000), "a" + String(repeating: " eq a", count: 1600),
            "a" + String(repeating: " add 1", count: 1300), String(repeating: "a and (", count: 1000),
        ]
    )
    func nested(_ text: String) {
        let problem = #expect(throws: QueryProblem.self) { try Filter(parsing: text) }
        #expect(problem?.message == "must not be nested deeper than 64 levels")
        #expect(problem?.position != nil)
    }

    @Test("the maximum depth is parsed, written and compared") func deepest() throws {
        for wrap in ["not (", "-("] {
            let count = QueryLimits.standard.depth - 2
            let text = String(repeating: wrap, count: count) + "a eq 1" + String(repeating: ")", count: count)
            let filter = try Filter(parsing: text)
            #expect(try Filter(parsing: filter.text) == filter)
        }
    }

    @Test("a filter with too many parts or too long a text is rejected") func large() throws {
        let many = (0..<400).map { "a eq \($0)" }.joined(separator: " or ")
        let parts = #expect(throws: QueryProblem.self) { try Filter(parsing: many) }
        #expect(parts?.message == "must have at most 1000 parts")
        let values = (0..<1500).map { "\($0)" }.joined(separator: ",")
        let problem = #expect(throws: QueryProblem.self) { try Filter(parsing: "a in (\(values))") }
        #expect(problem?.message == "must have at most 1000 parts")
        #expect(problem?.position == 2)
        let long = #expect(throws: QueryProblem.self) {
            try Filter(parsing: "a eq '" + String(repeating: "é", count: 4096) + "'")
        }
        #expect(long == QueryProblem(.tooLong(bytes: 8192), at: 0, option: "$filter"))
        _ = try Filter(parsing: "a eq '" + String(repeating: "x", count: 8185) + "'")
        let terms = Array(repeating: "a", count: 101).joined(separator: ",")
        let keys = #expect(throws: QueryProblem.self) { try SortTerm.parsing(terms) }
        #expect(keys?.message == "must have at most 100 terms" && keys?.option == "$orderby")
    }

    @Test(
        "a tree without a text form is rejected",
        arguments: [
            (.column(""), "'' is not a valid column name"), (.column("a b"), "'a b' is not a valid column name"),
            (.column("null"), "'null' is not a valid column name"), (.column("a/"), "'a/' is not a valid column name"),
            (.column("1a"), "'1a' is not a valid column name"),
            (.column("a' or 'b"), "'a' or 'b' is not a valid column name"),
            (.literal(.real(.nan)), "The number is out of range"),
            (.literal(.real(.infinity)), "The number is out of range"),
            (.literal(.date(.max)), "The year of the date must be from 1 to 9999"),
            (.and([.column("a")]), "'and' and 'or' require two conditions"),
            (.or([]), "'and' and 'or' require two conditions"),
            (.contained(.column("a"), []), "'in' requires a value"),
            (.contained(.column("a"), [.real(.nan)]), "The number is out of range"),
            (.call(.length, []), "Function 'length' requires 1 parameter."),
            (
                .call(
                    .replace,
                    [
                        .call(.replace, [.column("a"), .column("a"), .literal(.string(""))]), .column("a"),
                        .literal(.string("")),
                    ]
                ),
                "Calls to 'replace' cannot be nested."
            ),
            (
                .literal(.string(String(repeating: "x", count: 8193))),
                "must contain at most 8192 bytes of strings and names in total"
            ),
        ] as [(QueryExpression, String)]
    )
    func unwritable(_ root: QueryExpression, _ message: String) {
        let problem = #expect(throws: QueryProblem.self) { try Filter(root) }
        #expect(problem?.message == message)
    }

    @Test("more calls of replace than allowed are rejected, since texts would grow") func replaces() throws {
        let calls = { count in
            Array(repeating: "replace(a,'x','y') eq 'z'", count: count).joined(separator: " or ")
        }
        let filter = try Filter(parsing: calls(10))
        let problem = #expect(throws: QueryProblem.self) { try Filter(parsing: calls(11)) }
        #expect(problem?.message == "'replace' cannot be called more than 10 times.")
        let both = #expect(throws: QueryProblem.self) { try Filter(.and([filter.root, filter.root])) }
        #expect(both?.message == problem?.message)
        let long = #expect(throws: QueryProblem.self) {
            try Filter(parsing: "replace(a,'x','\(String(repeating: "y", count: 101))') eq b")
        }
        #expect(long?.message.contains("must be a constant string of at most 100 characters") == true)
    }

    @Test("a tree that a program built too deep or too large is rejected") func tooDeep() {
        var deep = QueryExpression.column("a")
        for _ in 0..<5000 { deep = .not(deep) }
        let depth = #expect(throws: QueryProblem.self) { try Filter(deep) }
        #expect(depth?.message == "must not be nested deeper than 64 levels")
        let wide = QueryExpression.or(Array(repeating: .column("a"), count: 1000))
        let parts = #expect(throws: QueryProblem.self) { try Filter(wide) }
        #expect(parts?.message == "must have at most 1000 parts")
    }
}
