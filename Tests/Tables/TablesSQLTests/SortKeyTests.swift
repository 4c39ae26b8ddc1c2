import Testing

@testable import TablesSQL

@Suite(.timeLimit(.minutes(2)))
struct SortKeyTests {
    private func precedes(_ a: String, _ b: String) -> Bool {
        Array(SortKey.of(a).utf8).lexicographicallyPrecedes(Array(SortKey.of(b).utf8))
    }

    @Test(
        "texts are in the order in which readers look for them",
        arguments: [
            [
                "", " ", "_", "-", "!a", ".", "(", "@", "%", "+", "~", "$", "\u{20AC}", "1", "10", "2", "a", "A",
                "\u{E1}", "\u{C1}", "ab", "b",
            ],
            ["Am\u{E9}lie", "Amores Perros"],
            ["cote", "cot\u{E9}", "c\u{F4}te", "c\u{F4}t\u{E9}", "coter"],
            ["resume", "Resume", "r\u{E9}sum\u{E9}", "R\u{E9}sum\u{E9}", "resumes"],
            ["de luge", "de-luge", "deluge", "Deluge"],
            ["strasse", "strassen"], ["stra\u{DF}e", "strassen"], ["o", "\u{F8}", "p"],
            ["Lodz", "\u{141}\u{F3}d\u{17A}", "Lz"],
            ["zebra", "\u{3B1}", "\u{430}", "\u{4E2D}"],
            ["file", "\u{FB01}lf"],
        ]
    )
    func order(_ texts: [String]) {
        for (a, b) in zip(texts, texts.dropFirst()) {
            #expect(precedes(a, b), "\(a) < \(b)")
            #expect(!precedes(b, a), "\(b) > \(a)")
        }
    }

    @Test("letters decide before accents, and accents before case, at any position") func levels() {
        #expect(precedes("\u{E1}a", "ab"))
        #expect(precedes("Ab", "\u{E1}b"))
        #expect(precedes("a\u{E1}", "\u{E1}a"))
        #expect(precedes("aB", "Ab"))
    }

    @Test("composed and decomposed texts have one key") func normalisation() {
        #expect(SortKey.of("Am\u{E9}lie") == SortKey.of("Ame\u{301}lie"))
    }

    @Test("the key of a plain text in lower case is the text itself") func plain() {
        #expect(SortKey.of("milk2") == "milk2")
        #expect(SortKey.of("Milk") == "milk\u{1}\u{1}\u{4}")
    }

    @Test("the fingerprint changes with any key") func fingerprint() {
        #expect(SortKey.fingerprint == SortKey.fingerprint { SortKey.of($0) })
        let others: [(String, (String) -> String)] = [
            ("no accents", { SortKey.of($0.replacing("é", with: "e")) }), ("no case", { SortKey.of($0.lowercased()) }),
            ("other digits", { SortKey.of($0.replacing("7", with: "6")) }),
            ("another script", { SortKey.of($0.replacing("М", with: "Н")) }),
            ("another alphabet's capitals", { SortKey.of($0.replacing("Ε", with: "ε")) }),
            ("other signs", { SortKey.of($0.replacing("+", with: "-")) }),
            ("shorter", { String(SortKey.of($0).prefix(SortKey.maxLetters - 1)) }),
        ]
        for (name, key) in others { #expect(SortKey.fingerprint(key) != SortKey.fingerprint, "\(name)") }
    }

    @Test("keys have a maximum length, whatever the text") func bounded() {
        #expect(SortKey.of(String(repeating: "a", count: 100_000)).utf8.count == SortKey.maxLetters)
        let heap = "a" + String(repeating: "\u{301}", count: 100_000)
        #expect(SortKey.of(heap).utf8.count < 8192)
        #expect(SortKey.of(String(repeating: "\u{FDFA}", count: 10_000)).utf8.count < 8192)
        #expect(SortKey.of("\u{0}\u{7}a\u{200D}") == "a")
    }
}
