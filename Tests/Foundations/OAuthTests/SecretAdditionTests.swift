import OAuth
import Testing

@Suite(.timeLimit(.minutes(1)))
struct SecretAdditionTests {
    @Test(
        "what an editor, a shell or a copy adds to a secret is found",
        arguments: [
            ("\u{FEFF}a", SecretAddition.byteOrderMark), ("a\u{0}b\u{0}", .otherEncoding),
            ("\u{0}a\u{0}b", .otherEncoding), ("a\r", .carriageReturn), ("a\rb", .carriageReturn), (" a", .blank),
            ("a\t", .blank), ("\u{A0}a", .blank), ("a\u{A0}", .blank), ("a\u{3000}", .blank), ("a\u{200B}", .blank),
            ("a\u{FEFF}", .blank), ("\"a\"", .quotationMarks), ("'a'", .quotationMarks),
        ]
    )
    func found(_ text: String, _ addition: SecretAddition) {
        #expect(SecretAddition(in: Array(text.utf8)) == addition)
    }

    @Test("UTF-16 and UTF-32 are found by their byte order marks", arguments: [[0xFF, 0xFE], [0xFE, 0xFF]])
    func encodings(_ mark: [UInt8]) {
        #expect(SecretAddition(in: mark + [0x61, 0x62]) == .otherEncoding)
        #expect(SecretAddition(in: [0, 0, 0xFE, 0xFF, 0, 0, 0, 0x61]) == .otherEncoding)
    }

    @Test(
        "other secrets have no addition",
        arguments: ["", "a", "a b", "a\u{A0}b", "\"", "\"a'", "a\"", "a\n", "\u{E9}", "\u{FC}\u{308}"]
    )
    func none(_ text: String) {
        #expect(SecretAddition(in: Array(text.utf8)) == nil)
    }
}
