import Tables
import Testing

struct RowIDTests {
    @Test(
        "ids that clients use are taken as they are",
        arguments: ["a", " .", "...", "'id'", "{0F8FAD5B}", "日本語", "a b ", String(repeating: "x", count: 255)]
    )
    func taken(_ text: String) {
        #expect(RowID(text)?.text == text)
    }

    @Test(
        "ids that no address can carry are refused",
        arguments: [
            "", " ", ".", "..", "a/b", "a?b", "a+b", "a\"b", "a\\b", "a`b", "a\u{1}b", "a\u{9F}b",
            String(repeating: "x", count: 256),
        ]
    )
    func refused(_ text: String) {
        #expect(RowID(text) == nil)
    }
}
