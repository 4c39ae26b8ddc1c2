import TablesSQL
import Testing

@Suite(.timeLimit(.minutes(2)))
struct SQLFragmentTests {
    @Test("placeholders are numbered in the order of the arguments, from a given number")
    func numbering() {
        let fragment = SQLFragment("a = ") + SQLFragment(.integer(1)) + " AND b = " + SQLFragment(.text("x"))
        #expect(fragment.sql == "a = $1 AND b = $2")
        #expect(fragment.sql(from: 4) == "a = $4 AND b = $5")
        #expect(fragment.arguments == [.integer(1), .text("x")])
    }

    @Test("pieces are joined with a separator between them")
    func joining() {
        let pieces = [SQLFragment("a"), SQLFragment(.null), SQLFragment("c")]
        #expect(SQLFragment.joined(pieces, by: ", ").sql == "a, $1, c")
        #expect(SQLFragment.joined([], by: ", ").isEmpty)
    }
}
