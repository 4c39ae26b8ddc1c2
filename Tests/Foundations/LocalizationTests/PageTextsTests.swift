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

    @Test("a page says a text in its language, by the operator's own sentences where there are some") func texts() {
        let doubled = Text("error.request.doubled")
        let overrides = ["de": [doubled.key: "Zweimal"], "nl": [doubled.key: "Dubbel"]]
        #expect(PageTexts(.english, overrides: overrides).words(of: doubled) == "a parameter is there more than once")
        #expect(PageTexts(.german, overrides: overrides).words(of: doubled) == "Zweimal")
        let dutch = LanguageTag(rawValue: "nl").map { PageTexts($0, overrides: overrides) }
        #expect(dutch?.words(of: doubled) == "Dubbel")
        let refusal = Text(
            "refusal.policyMisnamed",
            ["rule": Text("refusal.noSuchScope", ["scope": Text.comma(["a", 1])])]
        )
        #expect(dutch?.words(of: refusal) == "there is no such policy: there is no scope a, 1")
        #expect(
            PageTexts(.german).words(of: refusal)
                == "diese Richtlinie gibt es nicht: eine Berechtigung a, 1 gibt es nicht"
        )
        #expect(PageTexts(.german).words(of: Text(exactly: "as {it} is")) == "as {it} is")
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
