import FlowModel
import Localization
import Testing

@Suite(.timeLimit(.minutes(1))) struct PageTextsTests {
    @Test("an operator may change the sentences of flows and pages, and no others") func keys() {
        #expect(PageTexts.keys.count > 100)
        #expect(PageTexts.keys.isSuperset(of: ["step.password.title", "mail.code.body", "error.over.title"]))
        #expect(PageTexts.keys.isDisjoint(with: ["cli.tasks.added", "help.tasks.add", "failure.noFile", "list.and"]))
        #expect(PageTexts.keys.isDisjoint(with: ["refusal.noSuchFlow", "refusal.codeTooSoon"]))
    }

    @Test("a sentence takes its values, and braces in a value stay as they are") func values() {
        let texts = PageTexts(.english)
        #expect(texts.text("notice.back", ["name": "{name} & co"]) == "Return to {name} & co")
        #expect(texts.text("notice.back") == "Return to ")
    }

    @Test("a sentence is cut into words and values in time that grows with its length") func pieces() {
        #expect(PageTexts.pieces(of: "a {b} c") == [.words("a "), .value("b"), .words(" c")])
        #expect(PageTexts.pieces(of: "a { b") == [.words("a { b")])
        #expect(PageTexts.pieces(of: "a {\"b\":{…}} {c}") == [.words("a {\"b\":{…}} "), .value("c")])
        #expect(PageTexts.pieces(of: "") == [])
        #expect(PageTexts.pieces(of: String(repeating: "{", count: 100_000)).count == 1)
    }

    @Test("an operator's sentence takes the place of ours in its language only") func overrides() {
        let overrides = ["DE": ["step.password.title": "Herein"]]
        #expect(PageTexts(.german, overrides: overrides).text("step.password.title") == "Herein")
        #expect(PageTexts(.english, overrides: overrides).text("step.password.title") == "Sign in")
    }
}
