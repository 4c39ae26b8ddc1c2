import FlowModel
import Localization
import Testing

@Suite(.timeLimit(.minutes(1))) struct PageTextsTests {
    @Test("English and German have the same sentences with the same values in them") func same() throws {
        let english = PageTexts(.english)
        let german = PageTexts(.german)
        #expect(PageTexts.keys.count > 100)
        #expect(PageTexts.keys == PageTexts.keys(of: .german))
        for key in PageTexts.keys.sorted() {
            let (first, second) = (try #require(english.sentence(key)), try #require(german.sentence(key)))
            #expect(PageTexts.placeholders(of: first) == PageTexts.placeholders(of: second), "\(key)")
            #expect(!first.isEmpty && !second.isEmpty, "\(key)")
        }
    }

    @Test("a sentence takes its values, and braces in a value stay as they are") func values() {
        let texts = PageTexts(.english)
        #expect(texts.text("notice.back", ["name": "{name} & co"]) == "Return to {name} & co")
        #expect(texts.text("notice.back") == "Return to ")
    }

    @Test("a sentence is cut into words and values in time that grows with its length") func pieces() {
        #expect(PageTexts.pieces(of: "a {b} c") == [.words("a "), .value("b"), .words(" c")])
        #expect(PageTexts.pieces(of: "a { b") == [.words("a { b")])
        #expect(PageTexts.pieces(of: "") == [])
        #expect(PageTexts.pieces(of: String(repeating: "{", count: 100_000)).count == 1)
    }

    @Test("an operator's sentence takes the place of ours in its language only") func overrides() {
        let overrides = ["DE": ["step.password.title": "Herein"]]
        #expect(PageTexts(.german, overrides: overrides).text("step.password.title") == "Herein")
        #expect(PageTexts(.english, overrides: overrides).text("step.password.title") == "Sign in")
    }
}
