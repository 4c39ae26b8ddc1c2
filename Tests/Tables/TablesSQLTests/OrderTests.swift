import Tables
import TablesSQL
import Testing

@Suite(.timeLimit(.minutes(2)))
struct OrderTests {
    private let table: SampleTable

    init() throws {
        table = try SampleTable()
    }

    private func sample(_ id: String) throws -> Sample {
        try #require(SampleTable.samples.first { $0.id == id })
    }

    @Test("texts are sorted linguistically, then by code points, then by id") func texts() throws {
        let found = try table.sorted("text", where: "text IS NOT NULL").map { try sample($0) }
        let expected = SampleTable.samples.filter { $0.text != nil }.sorted { a, b in
            let keys = [a, b].map { [SortKey.of($0.text ?? ""), $0.text ?? "", $0.id].map { Array($0.utf8) } }
            for (left, right) in zip(keys[0], keys[1]) where left != right {
                return left.lexicographicallyPrecedes(right)
            }
            return false
        }
        #expect(found.map(\.id) == expected.map(\.id))
        let texts = found.compactMap(\.text)
        let first = try #require(texts.firstIndex(of: "Am\u{E9}lie"))
        #expect(first < (texts.firstIndex(of: "Amores Perros") ?? 0))
    }

    @Test("descending reverses all parts of a key") func descending() throws {
        let up = try table.sorted("number,id").compactMap { try sample($0).number }
        let down = try table.sorted("number desc,id").compactMap { try sample($0).number }
        #expect(up == down.reversed())
        #expect(up == up.sorted())
    }

    @Test("an order is always total: id comes last") func total() throws {
        #expect(try table.sorted("done") == table.sorted("done,id"))
        #expect(try table.sql.order([]).sql == "\"id\"")
        #expect(try table.sql.order(SortTerm.parsing("ID desc,text")).sql == "\"id\" DESC")
    }

    @Test("expressions are sorted by their results") func expressions() throws {
        let lengths = try table.sorted("length(text) desc").compactMap { try sample($0).text?.unicodeScalars.count }
        #expect(lengths == lengths.sorted(by: >))
        let folded = try table.sorted("tolower(text)", where: "text IN ('a', 'A', 'abc', 'aBc', 'bc')")
        #expect(
            try folded.compactMap { try sample($0).text?.lowercased() } == [
                "a", "a", "a", "a", "a", "a", "abc", "abc", "abc", "abc", "abc", "abc", "bc", "bc", "bc",
            ]
        )
        _ = try table.sorted("done eq true desc, 1, null, 'x' desc, -number, year(due)")
    }
}
