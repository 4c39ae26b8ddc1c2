import Tables
import TablesSQL
import Testing

@Suite(.timeLimit(.minutes(2)))
struct QuerySQLProblemTests {
    private let sql = QuerySQL(columns: SampleTable.columns)

    @Test(
        "a query that the table does not support is rejected with its position",
        arguments: [
            ("txet eq 'a'", "There is no column 'txet'", 0),
            ("number gt 1 and texts eq 'a'", "There is no column 'texts' (did you mean 'text'?)", 16),
            ("completely", "There is no column 'completely'", 0),
            ("dun eq true", "There is no column 'dun' (did you mean 'due'?)", 0),
            ("text eq 1", "a string cannot be compared with a number", 5),
            ("done or (number lt 'x')", "a number cannot be compared with a string", 16),
            ("due gt 'soon'", "a date cannot be compared with a string", 4),
            ("due gt 3", "a date cannot be compared with a number", 4),
            ("done eq 2", "a Boolean cannot be compared with a number", 5),
            ("done eq 'true'", "a Boolean cannot be compared with a string", 5),
            ("text in ('a',1)", "a string cannot be compared with a number", 5),
            ("number", "a number is not a condition", 0),
            ("text and done", "a string is not a condition", 0),
            ("done and not 'x'", "a string is not a condition", 13),
            ("1", "a number is not a condition", 0),
            ("due or done", "a date is not a condition", 0),
            ("text add 1 eq 2", "a string cannot be used in a calculation", 5),
            ("1 mul done eq 2", "a Boolean cannot be used in a calculation", 2),
            ("-text eq 1", "a string cannot be used in a calculation", 0),
            ("length(number) eq 1", "'length' takes a string, not a number", 0),
            ("year(text) eq 1", "'year' takes a date, not a string", 0),
            ("floor(text) eq 1", "'floor' takes a number, not a string", 0),
            ("substring(text,'1') eq 'a'", "'substring' takes a number, not a string", 0),
            ("text eq 'a' and startswith(done,'a')", "'startswith' takes a string, not a Boolean", 16),
            ("a/b eq 1", "There is no column 'a/b'", 0),
        ]
    )
    func refused(_ text: String, _ message: String, _ position: Int) throws {
        let filter = try Filter(parsing: text)
        let problem = #expect(throws: QueryProblem.self) { try sql.condition(filter) }
        #expect(problem?.message.hasPrefix(message) == true, "\(problem.map { "\($0)" } ?? "")")
        #expect(problem?.position == position)
        #expect(problem?.option == "$filter")
    }

    @Test("positions are correct after lists, calls and chains") func places() throws {
        let text = "done and text in ('a','b') and (indexof(text,'x') eq 1 or not done) and nope"
        let problem = #expect(throws: QueryProblem.self) { try sql.condition(Filter(parsing: text)) }
        #expect(problem?.position == text.count - 4)
    }

    @Test("a predicate's problem has its position too") func predicate() throws {
        let filter = try Filter(predicate: "done == YES AND number BETWEEN {1, 2} AND txt CONTAINS 'x'")
        let problem = #expect(throws: QueryProblem.self) { try sql.condition(filter) }
        #expect(problem?.position == 42)
        #expect(problem?.message == "There is no column 'txt' (did you mean 'text'?)")
    }

    @Test("an order by unknown columns is rejected") func order() throws {
        let terms = try SortTerm.parsing("text, nummber desc")
        let problem = #expect(throws: QueryProblem.self) { try sql.order(terms) }
        #expect(
            problem
                == QueryProblem(.unknownColumn("nummber", nearest: "number"), at: 6, option: "$orderby")
        )
    }

    @Test("a selection contains only columns, as declared and each once") func selection() throws {
        let query = try Query(url: "$select=ID,%20Text,id")
        #expect(try sql.selection(query).map(\.name) == ["id", "text"])
        #expect(try sql.selection(Query()).isEmpty)
        let wrong = try Query(url: "$select=id,%20tex")
        let problem = #expect(throws: QueryProblem.self) { try sql.selection(wrong) }
        #expect(problem?.position == 4)
        #expect(problem?.option == "$select")
        let unknown = #expect(throws: QueryProblem.self) { try sql.selection(Query().select("nope")) }
        #expect(unknown?.message.hasPrefix("There is no column 'nope'") == true && unknown?.position == nil)
    }
}
