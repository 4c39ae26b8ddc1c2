import Tables
import Testing

@Suite(.timeLimit(.minutes(2)))
struct FilterTests {
    private static let a = QueryExpression.column("a")
    private static let b = QueryExpression.column("b")
    private static let c = QueryExpression.column("c")
    private static let one = QueryExpression.literal(.integer(1))

    @Test(
        "operators have the precedence that the protocol's clients expect",
        arguments: [
            ("a or b and c", .or([a, .and([b, c])])),
            ("(a or b) and c", .and([.or([a, b]), c])),
            ("a and b and c", .and([a, b, c])),
            ("(a and b) and c", .and([.and([a, b]), c])),
            ("not a eq b", .compare(.equal, .not(a), b)),
            ("not (a eq b)", .not(.compare(.equal, a, b))),
            ("not not a", .not(.not(a))),
            ("not a and b", .and([.not(a), b])),
            ("a eq b eq c", .compare(.equal, .compare(.equal, a, b), c)),
            ("a lt b add c", .compare(.less, a, .arithmetic(.add, b, c))),
            ("a sub b sub c", .arithmetic(.subtract, .arithmetic(.subtract, a, b), c)),
            ("a sub (b sub c)", .arithmetic(.subtract, a, .arithmetic(.subtract, b, c))),
            ("a add b mul c", .arithmetic(.add, a, .arithmetic(.multiply, b, c))),
            ("a div b mod c", .arithmetic(.modulo, .arithmetic(.divide, a, b), c)),
            ("-a mul b", .arithmetic(.multiply, .negate(a), b)),
            ("- (1)", .negate(one)),
            ("a", a),
            ("true", .literal(.boolean(true))),
            ("A OR B", .or([.column("A"), .column("B")])),
            ("eq eq 1", .compare(.equal, .column("eq"), one)),
            ("a/b gt 1", .compare(.greater, .column("a/b"), one)),
            ("a in (1, -2,'x')", .contained(a, [.integer(1), .integer(-2), .string("x")])),
        ] as [(String, QueryExpression)]
    )
    func precedence(_ text: String, _ expected: QueryExpression) throws {
        #expect(try Filter(parsing: text).root == expected)
    }

    @Test(
        "every literal is parsed, with every suffix that clients write",
        arguments: [
            ("12", .integer(12)), ("-12", .integer(-12)), ("- 12", .integer(-12)), ("12L", .integer(12)),
            ("12l", .integer(12)), ("1.5", .real(1.5)), ("1e3", .real(1000)), ("1E-2", .real(0.01)),
            ("1.5f", .real(1.5)), ("3d", .real(3)), ("2.5M", .real(2.5)), ("1e+20", .real(1e20)),
            ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
            ("9223372036854775808", .real(9_223_372_036_854_775_808)),
            ("'str''ing'", .string("str'ing")), ("''", .string("")), ("''''", .string("'")),
            ("'\u{301}'", .string("\u{301}")), ("true", .boolean(true)), ("False", .boolean(false)), ("null", .null),
            ("datetime'2015-01-01T00:00:00.000Z'", .date(1_420_070_400_000)),
            ("datetime'2015-01-01T00:00:00'", .date(1_420_070_400_000)),
            ("datetimeoffset'2015-01-01T02:00:00+02:00'", .date(1_420_070_400_000)),
            ("DateTime'2015-01-01'", .date(1_420_070_400_000)),
            ("2015-01-01T00:00:00.5Z", .date(1_420_070_400_500)), ("2015-01-01", .date(1_420_070_400_000)),
            ("2015-01-01T00:00:00-01:00", .date(1_420_074_000_000)),
            ("2015-01-01T00:00:00.0901Z", .dateBetween(1_420_070_400_090)),
            ("2015-01-01T00:00:00.0900Z", .date(1_420_070_400_090)),
            ("guid'AB0C1D2E-0000-1111-2222-333344445555'", .string("ab0c1d2e-0000-1111-2222-333344445555")),
            ("cast(2015-01-01T00:00:00.000Z,Edm.DateTimeOffset)", .date(1_420_070_400_000)),
            ("CAST( '2015-01-01T02:00:00+02:00' , Edm.DateTimeOffset )", .date(1_420_070_400_000)),
            ("cast(2015-01-01,Edm.Date)", .date(1_420_070_400_000)),
            (
                "cast(ab0c1d2e-0000-1111-2222-333344445555,Edm.Guid)",
                .string("ab0c1d2e-0000-1111-2222-333344445555")
            ),
        ] as [(String, QueryLiteral)]
    )
    func literals(_ text: String, _ expected: QueryLiteral) throws {
        let filter = try Filter(parsing: text)
        #expect(filter.root == .literal(expected))
        #expect(try Filter(parsing: filter.text).root == .literal(expected))
    }

    @Test("texts are equal only if all code points are equal") func exactTexts() throws {
        #expect(QueryLiteral.string("\u{E9}") != .string("e\u{301}"))
        #expect(QueryLiteral.string("\u{E9}") == .string("\u{E9}"))
    }

    @Test("every function is parsed with each number of arguments that it accepts", arguments: QueryFunction.allCases)
    func functions(_ function: QueryFunction) throws {
        for count in function.arity {
            let arguments = (0..<count).map { _ in "'x'" }.joined(separator: ", ")
            let filter = try Filter(parsing: "\(function.rawValue.uppercased())(\(arguments))")
            #expect(filter.root == .call(function, Array(repeating: .literal(.string("x")), count: count)))
        }
    }

    @Test("filters of the official clients are parsed")
    func captured() throws {
        let iOS = "((not complete and (duration gt 1)) and (indexof(tolower(text),'o''a') ge 0))"
        let javaScript = "(((substring(text,0,3) eq 'ab''') and (year(due) gt 2014)) and ((n mod 2) eq 1))"
        #expect(
            try Filter(parsing: iOS).text
                == "(not complete and duration gt 1) and indexof(tolower(text),'o''a') ge 0"
        )
        #expect(
            try Filter(parsing: javaScript).text
                == "(substring(text,0,3) eq 'ab''' and year(due) gt 2014) and n mod 2 eq 1"
        )
        #expect(try Filter(parsing: "(1 eq 1)").text == "1 eq 1")
    }

    @Test("a written filter parses as the same filter, for every tree", arguments: 0..<60)
    func roundTrip(_ seed: Int) throws {
        var trees = RandomTrees(seed: UInt64(seed))
        for _ in 0..<20 {
            let filter = try Filter(trees.tree(5))
            let again = try Filter(parsing: filter.text)
            try #require(again == filter, "\(filter.text)")
            #expect(again.hashValue == filter.hashValue)
            // A filter must not grow when it is parsed and written again.
            #expect(again.text == filter.text)
        }
    }

    @Test("two conditions are combined unchanged") func both() throws {
        let filter = try Filter(parsing: "a or b").and(Filter(parsing: "a and b")).and(Filter(parsing: "c"))
        #expect(filter.root == .and([.or([Self.a, Self.b]), Self.a, Self.b, Self.c]))
        #expect(filter.text == "(a or b) and a and b and c")
    }

    @Test("an order is parsed with directions, expressions and without asc")
    func order() throws {
        let terms = try SortTerm.parsing("text,id desc, length(text) ASC,-duration Desc , desc desc")
        #expect(
            terms == [
                SortTerm("text"), SortTerm("id", isDescending: true),
                SortTerm(.call(.length, [.column("text")])), SortTerm(.negate(.column("duration")), isDescending: true),
                SortTerm("desc", isDescending: true),
            ]
        )
        #expect(try SortTerm.parsing(terms.map(\.text).joined(separator: ",")) == terms)
    }
}
