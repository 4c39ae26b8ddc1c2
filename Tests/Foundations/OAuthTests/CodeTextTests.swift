import OAuth
import Testing

@Suite(.timeLimit(.minutes(1)))
struct CodeTextTests {
    @Test(
        "a typed code becomes ASCII in upper case, without white space and dashes",
        arguments: [
            ("abc-def", "ABCDEF"), (" 12\u{A0}34\t", "1234"), ("１２３", "123"), ("ａｂＣ", "ABC"), ("٠١٢٩", "0129"),
            ("۴५", "45"), ("AB–CD—EF\u{2212}GH\u{AD}IJ", "ABCDEFGHIJ"), ("", ""), ("a.b", "A.B"), ("½", "½"),
        ]
    ) func folded(_ typed: String, _ code: String) {
        #expect(CodeText.folded(typed) == code)
    }
}
