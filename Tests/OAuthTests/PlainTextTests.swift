import OAuth
import Testing

@Suite(.timeLimit(.minutes(2)))
struct PlainTextTests {
    @Test(
        "what would move the cursor or turn the direction is replaced",
        arguments: ["\u{1B}[2J", "\u{9B}31m", "\u{202E}cod", "a\u{7}", "\u{2066}x", "\u{2028}"]
    )
    func unsafe(_ text: String) {
        #expect(PlainText.line(text).unicodeScalars.contains("\u{FFFD}"))
        #expect(!PlainText.line(text).unicodeScalars.contains("\u{1B}"))
    }

    @Test("letters, marks and joined emoji of all languages stay", arguments: ["Zoë", "naïve 👩‍👩‍👧", "日本語", "हिन्दी"])
    func safe(_ text: String) {
        #expect(PlainText.line(text) == text)
    }

    @Test("a line has no line ends, lines keep them") func lineEnds() {
        #expect(PlainText.line("a\nb") == "a b")
        #expect(PlainText.lines("a\nb") == "a\nb")
    }

    @Test("a document keeps its lines, however many, and loses what could deceive") func document() {
        let rows = String(repeating: "a\u{9B}31m\u{202E}b\n", count: 1000)
        let shown = PlainText.document(rows)
        #expect(shown == String(repeating: "a\u{FFFD}31m\u{FFFD}b\n", count: 1000))
    }

    @Test("an excerpt is one line, and says that there is more") func excerpt() {
        #expect(PlainText.excerpt("a\nb") == "a b")
        let cut = PlainText.excerpt(String(repeating: "a", count: 61))
        #expect(cut.count == PlainText.excerptLimit && cut.hasSuffix("…"))
        #expect(PlainText.excerpt(String(repeating: "a", count: 60)).hasSuffix("aa"))
    }

    @Test("a text is cut at its limit") func limit() {
        #expect(PlainText.line(String(repeating: "a", count: 5000)).count == PlainText.limit)
    }
}
