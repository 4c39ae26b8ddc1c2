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
            "a\u{200B}b", "pay\u{E0050}\u{E0041}", "\u{E0001}x", "a\u{FEFF}b", "a\u{2060}b", "a\u{3164}b",
            "a\u{115F}b", "a\u{FFA0}b", "a\u{34F}b", "a\u{2800}b", "a\u{FE0F}b", "\u{200D}a", "a\u{200C}",
            "a\u{200D}\u{200D}b", "a \u{200C}b", "1\u{200D}a", "a\u{200D}\u{202E}b", "\u{3164}\u{200D}a",
            "a\u{E0101}b",
            "a\u{61C}b", "a\u{180E}b", "a\u{FFF9}b", "\u{1F3F4}\u{E0067}\u{E0062}\u{E007F}",
        ]
    )
    func unseen(_ text: String) throws {
        #expect(PlainText.line(text).unicodeScalars.contains("\u{FFFD}"))
        #expect(!PlainText.line(text).containsOutOfPlace(\.isMisleading))
        let json = PlainText.json(.string(text))
        #expect(!json.containsOutOfPlace(\.isMisleading))
        #expect(
            try StrictJSON.parse(Array(json.utf8)).string?.unicodeScalars.elementsEqual(text.unicodeScalars) == true
        )
    }

    @Test(
        "letters, marks and joined emoji of all languages are preserved",
        arguments: ["Zoë", "naïve 👩‍👩‍👧", "日本語", "हिन्दी", "❤️‍🔥", "👩🏽‍🚀", "می‌خواهم", "क्‍ष", "Silben\u{AD}trennung", "Auf\u{200C}lage"]
    )
    func safe(_ text: String) {
        #expect(PlainText.line(text) == text)
        #expect(!text.containsOutOfPlace(\.isMisleading))
        #expect(text.removingOutOfPlace(limit: 100) == text)
    }

    @Test(
        "invisible characters are removed where they do not belong, also at the limit",
        arguments: [
            ("\u{200D}a\u{200C}\u{200C}b\u{200D}", 9, "a\u{200C}b"), ("a\u{202E}\u{200D}b", 9, "a\u{200D}b"),
            ("a\u{200D}b", 2, "ab"), ("a\u{AD}b", 2, "a\u{AD}"), ("\u{FE0F}\u{200D}b", 9, "b"), ("abc", 0, ""),
        ]
    )
    func removed(_ text: String, limit: Int, _ rest: String) {
        let removed = text.removingOutOfPlace(limit: limit)
        #expect(removed.unicodeScalars.elementsEqual(rest.unicodeScalars))
        #expect(removed.removingOutOfPlace(limit: limit) == removed)
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
