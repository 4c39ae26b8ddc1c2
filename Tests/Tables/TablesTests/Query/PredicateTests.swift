import Foundation
import Tables
import Testing

@Suite(.timeLimit(.minutes(2)))
struct PredicateTests {
    @Test(
        "predicates are parsed as in the guides",
        arguments: [
            ("complete == NO AND duration > 3", "complete eq false and duration gt 3"),
            ("complete = yes && NOT (duration <> 3)", "complete eq true and not (duration ne 3)"),
            ("!complete || a != 1", "not complete or a ne 1"),
            ("NOT a == b", "not (a eq b)"),
            ("not not a", "not (not a)"),
            ("a < 1 OR b <= 2 AND c >= 3", "a lt 1 or b le 2 and c ge 3"),
            ("(a < 1 OR b =< 2) AND c => 3", "(a lt 1 or b le 2) and c ge 3"),
            ("text CONTAINS 'milk'", "substringof('milk',text)"),
            ("text contains[c] \"Milk\"", "substringof(tolower('Milk'),tolower(text))"),
            ("text BEGINSWITH[C] 'a'", "startswith(tolower(text),tolower('a'))"),
            ("text ENDSWITH 'it\\'s'", "endswith(text,'it''s')"),
            ("text ==[c] 'A'", "tolower(text) eq tolower('A')"),
            ("n IN {1, 2, -3}", "n in (1,2,-3)"),
            ("n IN (1, 2)", "n in (1,2)"),
            ("text IN[c] {'A', 'B'}", "tolower(text) in ('a','b')"),
            ("n IN {}", "false"),
            ("n BETWEEN {1, 5}", "n ge 1 and n le 5"),
            ("NOT n BETWEEN {1, 5}", "not (n ge 1 and n le 5)"),
            ("due == NULL OR due == nil", "due eq null or due eq null"),
            ("TRUEPREDICATE", "true"),
            ("a == 1 AND FALSEPREDICATE", "a eq 1 and false"),
            ("a + 2 * b > -3 - c", "a add 2 mul b gt -3 sub c"),
            ("(a + 2) * b == 1.5e2", "(a add 2) mul b eq 150.0"),
            ("-a < 1", "-a lt 1"),
            ("#in == 1 AND #contains == 'x\\n\\\\'", "in eq 1 and contains eq 'x\n\\'"),
            ("complete", "complete"),
        ]
    )
    func translated(_ predicate: String, _ expected: String) throws {
        #expect(try Filter(predicate: predicate).text == expected)
    }

    @Test("arguments are values, whatever their text") func arguments() throws {
        let hostile = "x' or 1 eq 1 or '' eq '"
        let filter = try Filter(predicate: "text == %@", arguments: [hostile])
        #expect(filter.root == .compare(.equal, .column("text"), .literal(.string(hostile))))
        #expect(try Filter(parsing: filter.text) == filter)
        let date = Date(timeIntervalSince1970: 1.5)
        let missing: String? = nil
        let mixed = try Filter(
            predicate:
                "%K > %d AND a < %ld AND b == %f AND c == %@ AND d == %@ AND e IN %@ AND f BETWEEN %@ AND g == %@",
            arguments: ["duration", 3, 4, 1.5, date, true, ["x", "y"], [1, 2], missing]
        )
        #expect(
            mixed.text == """
                duration gt 3 and a lt 4 and b eq 1.5 and c eq datetime'1970-01-01T00:00:01.500Z' and d eq true \
                and e in ('x','y') and (f ge 1 and f le 2) and g eq null
                """
        )
    }

    @Test(
        "an untranslatable predicate is rejected with the position and the clients' error number",
        arguments: [
            ("text LIKE 'a*'", "LIKE is not supported in a table query", 5),
            ("text MATCHES 'a.*'", "MATCHES is not supported in a table query", 5),
            ("ANY tags == 'x'", "ANY is not supported in a table query", 0),
            ("text CONTAINS[cd] 'a'", "[cd] is not supported. Use [c]", 13),
            ("a == ", "Syntax error", 5),
            ("a == 1 b", "Syntax error", 7),
            ("a == 1 == 2", "Syntax error", 7),
            ("(a == 1", "Unbalanced parentheses", 0),
            ("a == 1)", "Unbalanced parentheses", 6),
            ("a == 'x", "Unterminated string literal", 5),
            ("text ENDSWITH 'it''", "Unterminated string literal", 18),
            ("a == 'x\\q'", "Unknown escape in a string literal", 7),
            ("a BETWEEN {1}", "BETWEEN requires two values", 10),
            ("a IN {1, b}", "Syntax error", 9),
            ("a IN 1", "Syntax error", 5),
            ("lowercase(a) == 'x'", "Unknown identifier 'lowercase'", 0),
            ("a == %@", "There are too few arguments for the placeholders", 5),
            ("a == %x", "There are too few arguments for the placeholders", 5),
            ("a ~ 1", "Syntax error", 2),
            ("a == 1e999", "The number is out of range", 5),
            ("é == $x", "Syntax error", 5),
            ("", "Syntax error", 0),
        ]
    )
    func refused(_ predicate: String, _ message: String, _ position: Int) {
        let problem = #expect(throws: QueryProblem.self) { try Filter(predicate: predicate) }
        #expect(problem?.message == message)
        #expect(problem?.position == position && problem?.option == nil && problem?.code == -1400)
    }

    @Test(
        "arguments of the wrong kind or number are rejected",
        arguments: [
            ("a == %d", [1.5], "%d requires an argument of a different type"),
            ("a == %f", ["x"], "%f requires an argument of a different type"),
            ("a == %q", [1], "%q is not a placeholder"),
            ("%K == 1", [1], "%K requires a column name"),
            ("%K == 1", ["a eq 1 or b"], "'a eq 1 or b' is not a valid column name"),
            ("%K == 1", ["null"], "'null' is not a valid column name"),
            ("a == 1", [1], "There are 1 arguments for 0 placeholders"),
            ("a IN %@", [1], "%@ must be a list here"),
            ("a == %@", [[1]], "%@ does not accept a list"),
            ("a == %@", [Double.nan], "The number is out of range"),
            ("a == %@", [Date.distantFuture.addingTimeInterval(1e15)], "The year of the date must be from 1 to 9999"),
            ("a IN %@", [[Double.infinity]], "The number is out of range"),
        ] as [(String, [any PredicateArgument], String)]
    )
    func wrongArguments(_ predicate: String, _ arguments: [any PredicateArgument], _ message: String) {
        let problem = #expect(throws: QueryProblem.self) { try Filter(predicate: predicate, arguments: arguments) }
        #expect(problem?.message == message)
        #expect(problem?.code == QueryProblem.predicateCode)
    }

    @Test(
        "a hostile predicate is rejected within the limits",
        arguments: [
            (String(repeating: "(", count: 8000), "must not be nested deeper than 64 levels"),
            (String(repeating: "!", count: 8000), "must not be nested deeper than 64 levels"),
            (String(repeating: "NOT ", count: 2000), "must not be nested deeper than 64 levels"),
            (String(repeating: "-", count: 8000) + "a", "must not be nested deeper than 64 levels"),
            ("a" + String(repeating: "+a", count: 4000), "must not be nested deeper than 64 levels"),
            (String(repeating: "x", count: 8193), "must be at most 8192 bytes long"),
        ]
    )
    func hostile(_ predicate: String, _ message: String) {
        let problem = #expect(throws: QueryProblem.self) { try Filter(predicate: predicate) }
        #expect(problem?.message == message && problem?.code == QueryProblem.predicateCode)
    }

    @Test(
        "a condition in OData's grammar is about as long as its predicate, whatever the nesting",
        arguments: [
            "NOT (%)", "!(%)", "(%) == YES", "b != (%)", "(%) ==[c] 'x'", "(%) IN {1, NULL}", "(%) IN[c] {'a', 'b'}",
            "(%) BETWEEN {1, 2}", "(%) CONTAINS[c] 'x'", "'x' BEGINSWITH (%)", "(%) ENDSWITH[c] (b)", "(%) AND b",
            "b OR (%)", "(%) + 1", "2 * (%)", "-(%)",
        ]
    )
    func length(_ shape: String) throws {
        var predicate = "a"
        for depth in 1...70 {
            predicate = shape.replacing("%", with: predicate)
            let filter: Filter
            do { filter = try Filter(predicate: predicate) } catch {
                #expect(error.message == "BETWEEN cannot be nested" || depth > 20, "\(error)")
                return
            }
            #expect(filter.text.utf8.count <= 4 * predicate.utf8.count)
        }
    }

    @Test("texts and lists that occur twice count twice") func repeated() {
        let text = String(repeating: "x", count: 3000)
        #expect(throws: Never.self) { try Filter(predicate: "'\(text)' BETWEEN {1, 2}") }
        let long = #expect(throws: QueryProblem.self) {
            try Filter(predicate: "('\(text)' + '\(text)') BETWEEN {1, 2}")
        }
        #expect(long?.message == "must contain at most 8192 bytes of strings and names in total")
        let list = (0..<600).map { "\($0)" }.joined(separator: ", ")
        let many = #expect(throws: QueryProblem.self) { try Filter(predicate: "(a IN {\(list)}) BETWEEN {0, 1}") }
        #expect(many?.message == "must have at most 1000 parts")
        let arguments = Array(repeating: text, count: 3)
        let texts = #expect(throws: QueryProblem.self) { try Filter(predicate: "a IN %@", arguments: [arguments]) }
        let tree = #expect(throws: QueryProblem.self) { try Filter(.and(arguments.map { .literal(.string($0)) })) }
        #expect(texts?.message == long?.message && tree?.message == long?.message)
    }

    @Test("a list as long as a query may be is rejected, not truncated") func longList() {
        let problem = #expect(throws: QueryProblem.self) {
            try Filter(predicate: "a IN %@", arguments: [Array(0..<1000)])
        }
        #expect(problem?.message == "must have at most 1000 parts")
        #expect(throws: Never.self) { try Filter(predicate: "a IN %@", arguments: [Array(0..<900)]) }
    }
}
