import TablesSQL
import Testing

@Suite(.timeLimit(.minutes(2)))
struct SQLFunctionTests {
    private func call(_ name: String, _ arguments: SQLValue...) throws -> SQLValue {
        try #require(SQLFunction.all.first { $0.name == name && $0.arity == arguments.count }).body(arguments)
    }

    @Test("each function occurs once for each number of arguments") func names() {
        let names = SQLFunction.all.map { "\($0.name)/\($0.arity)" }
        #expect(Set(names).count == names.count)
        #expect(names.allSatisfy { $0.hasPrefix("tables_") })
    }

    @Test("a result that cannot be calculated is null, never an error") func nulls() throws {
        let values: [SQLValue] = [
            .null, .integer(.min), .integer(.max), .real(.infinity), .real(-.infinity), .text("x"),
        ]
        for function in SQLFunction.all {
            for first in values {
                for second in values { _ = function.body([first, second, first]) }
                if first == .null { #expect(function.body([.null, .null, .null]) == .null) }
            }
        }
    }

    @Test(
        "a text ends with another by code points, not by appearance",
        arguments: [
            ("abc", "bc", 1), ("abc", "", 1), ("", "", 1), ("", "a", 0), ("bc", "abc", 0), ("abc", "b", 0),
            ("Am\u{E9}", "\u{E9}", 1), ("Ame\u{301}", "\u{E9}", 0), ("Ame\u{301}", "\u{301}", 1), ("x😀", "😀", 1),
        ] as [(String, String, Int64)]
    )
    func endings(_ text: String, _ end: String, _ expected: Int64) throws {
        #expect(try call("tables_endswith", .text(text), .text(end)) == .integer(expected))
    }

    @Test("halves are rounded away from zero, and whole numbers stay whole")
    func rounding() throws {
        #expect(try call("tables_round", .real(0.5)) == .real(1))
        #expect(try call("tables_round", .real(-0.5)) == .real(-1))
        #expect(try call("tables_round", .real(0.49999999999999994)) == .real(0))
        #expect(try call("tables_round", .integer(.max)) == .integer(.max))
        #expect(try call("tables_floor", .real(-0.5)) == .real(-1))
        #expect(try call("tables_ceiling", .real(0.5)) == .real(1))
    }

    @Test("a remainder has the sign of the dividend, and is null for zero") func remainder() throws {
        #expect(try call("tables_mod", .integer(-7), .integer(3)) == .integer(-1))
        #expect(try call("tables_mod", .integer(.min), .integer(-1)) == .integer(0))
        #expect(try call("tables_mod", .integer(1), .integer(0)) == .null)
        #expect(try call("tables_mod", .real(5.5), .integer(2)) == .real(1.5))
        #expect(try call("tables_mod", .real(1), .real(0)) == .null)
    }

    @Test("the parts of dates are correct at both ends of the calendar") func dates() throws {
        #expect(try call("tables_year", .integer(-62_135_596_800_000)) == .integer(1))
        #expect(try call("tables_year", .integer(253_402_300_799_999)) == .integer(9999))
        #expect(try call("tables_second", .integer(-1)) == .integer(59))
        #expect(try call("tables_year", .integer(.min)) == .integer(1))
    }
}
