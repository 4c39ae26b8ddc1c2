import Tables
import Testing

@Suite(.timeLimit(.minutes(1)))
struct PatternTests {
    @Test(
        "a text matches completely or not at all",
        arguments: [
            ("abc", "abc", true), ("abc", "xabc", false), ("abc", "abcd", false), ("^abc$", "abc", true),
            ("", "", true),
            ("", "a", false), ("a|bc|", "", true), ("a|bc", "bc", true), ("a|bc", "abc", false),
            ("(a|b)*c", "ababc", true),
            ("[A-Z]{3}-[0-9]{4}", "ABC-1234", true), ("[A-Z]{3}-[0-9]{4}", "ABC-123", false), ("a{2,}", "a", false),
            ("a{2,}", "aaaa", true), ("a{1,2}", "aaa", false), ("a{0}", "", true), ("a?b+", "bb", true),
            ("\\p{Lu}\\p{Ll}+", "Äpfel", true), ("\\P{L}+", "12!", true), ("\\p{L}", "1", false), (".", "\n", false),
            (".", "é", true), ("[^a-c]", "b", false), ("[^a-c]", "d", true), ("[-a]+", "a-", true),
            ("[a-]+", "-a", true),
            ("\\d+\\.\\w\\s\\S\\D\\W", "12.x y1?", false), ("\\d+\\.\\w\\s\\S\\D\\W", "12.x yz?", true),
            ("[\\d,]+", "1,2", true), ("\\(\\)", "()", true), ("(a?){3}b", "aab", true), ("(a*)*b", "aaab", true),
        ]
    )
    func matches(_ pattern: String, _ text: String, _ expected: Bool) throws {
        #expect(try Pattern(pattern).matches(text) == expected)
    }

    @Test(
        "an invalid pattern is rejected with its position",
        arguments: [
            ("a(", 2), ("a)", 1), ("*", 0), ("[", 1), ("[]", 1), ("[b-a]", 1), ("\\", 1), ("\\1", 1), ("\\b", 1),
            ("a{2,1}", 5), ("a{x}", 2), ("a{2", 3), ("a**", 2), ("\\p{Foo}", 2), ("(?=a)", 1), ("a^", 1), ("$a", 0),
            ("[[a]]", 1), ("a{500}{500}", 6), ("(((a{9}){9}){9}){9}", 15),
        ]
    )
    func refused(_ pattern: String, _ position: Int) throws {
        let refusal = #expect(throws: Pattern.Refusal.self) { try Pattern(pattern) }
        #expect(refusal?.position == position, "\(refusal?.description ?? "")")
    }

    @Test("the nesting and length of patterns are limited") func bounds() {
        let deep = String(repeating: "(", count: 40) + String(repeating: ")", count: 40)
        let nested = #expect(throws: Pattern.Refusal.self) { try Pattern(deep) }
        #expect(nested?.reason == "groups deeper than 32" && nested?.position == 32)
        let long = #expect(throws: Pattern.Refusal.self) { try Pattern(String(repeating: "a", count: 513)) }
        #expect(long?.reason == "longer than 512 characters")
    }

    @Test(
        "a pattern that makes other engines backtrack forever ends at once",
        arguments: ["(a+)+b", "(a|aa)*b", "(a*)*b"]
    )
    func linear(_ pattern: String) throws {
        #expect(try !Pattern(pattern).matches(String(repeating: "a", count: 20_000)))
    }
}
