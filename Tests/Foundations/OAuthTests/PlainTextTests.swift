import OAuth
import Testing

@Suite(.timeLimit(.minutes(2)))
struct PlainTextTests {
    @Test(
        "characters that move the cursor or change the text direction are replaced",
        arguments: ["\u{1B}[2J", "\u{9B}31m", "\u{202E}cod", "a\u{7}", "\u{2066}x", "\u{2028}"]
    )
    func unsafe(_ text: String) {
        #expect(PlainText.line(text).unicodeScalars.contains("\u{FFFD}"))
        #expect(!PlainText.line(text).unicodeScalars.contains("\u{1B}"))
    }

    @Test(
        "invisible characters are replaced, and escaped in JSON without changing the value",
        arguments: [
            "a\u{200B}b", "pay\u{E0050}\u{E0041}", "\u{E0001}x", "a\u{FEFF}b", "a\u{AD}b", "a\u{2060}b", "a\u{3164}b",
            "a\u{115F}b", "a\u{FFA0}b", "a\u{34F}b", "a\u{2800}b", "a\u{200D}b", "a\u{200C}b", "a\u{FE0F}b",
            "a\u{E0101}b",
            "a\u{61C}b", "a\u{180E}b", "a\u{FFF9}b", "\u{1F3F4}\u{E0067}\u{E0062}\u{E007F}",
        ]
    )
    func unseen(_ text: String) throws {
        #expect(PlainText.line(text).unicodeScalars.contains("\u{FFFD}"))
        #expect(!PlainText.line(text).unicodeScalars.contains { $0.isMisleading })
        let json = PlainText.json(.string(text))
        #expect(!json.unicodeScalars.contains { $0.isMisleading })
        #expect(
            try StrictJSON.parse(Array(json.utf8)).string?.unicodeScalars.elementsEqual(text.unicodeScalars) == true
        )
    }

    @Test(
        "letters, marks and joined emoji of all languages are preserved",
        arguments: ["Zoë", "naïve 👩‍👩‍👧", "日本語", "हिन्दी", "❤️‍🔥", "👩🏽‍🚀", "می‌خواهم", "क्‍ष"]
    )
    func safe(_ text: String) {
        #expect(PlainText.line(text) == text)
    }

    @Test("a single line has no line breaks, and a text of several lines keeps them") func lineEnds() {
        #expect(PlainText.line("a\nb") == "a b")
        #expect(PlainText.lines("a\nb") == "a\nb")
    }

    @Test("a document keeps all its lines and loses misleading characters") func document() {
        let rows = String(repeating: "a\u{9B}31m\u{202E}b\n", count: 1000)
        let shown = PlainText.document(rows)
        #expect(shown == String(repeating: "a\u{FFFD}31m\u{FFFD}b\n", count: 1000))
    }

    @Test("an excerpt is one line and shows that there is more") func excerpt() {
        #expect(PlainText.excerpt("a\nb") == "a b")
        let cut = PlainText.excerpt(String(repeating: "a", count: 61))
        #expect(cut.count == PlainText.excerptLimit && cut.hasSuffix("…"))
        #expect(PlainText.excerpt(String(repeating: "a", count: 60)).hasSuffix("aa"))
    }

    @Test("a text is truncated at its limit") func limit() {
        #expect(PlainText.line(String(repeating: "a", count: 5000)).count == PlainText.limit)
    }
}
