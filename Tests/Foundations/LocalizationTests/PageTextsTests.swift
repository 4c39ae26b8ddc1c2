import FlowModel
import Localization
import Testing

@Suite(.timeLimit(.minutes(1))) struct PageTextsTests {
    @Test("an operator can change the sentences of flows and pages, and no others") func keys() {
        #expect(PageTexts.keys.count > 100)
        #expect(PageTexts.keys.isSuperset(of: ["step.password.title", "mail.code.body", "error.over.title"]))
        #expect(PageTexts.keys.isDisjoint(with: ["cli.tasks.added", "help.tasks.add", "failure.noFile", "list.and"]))
        #expect(PageTexts.keys.isDisjoint(with: ["refusal.noSuchFlow", "refusal.codeTooSoon"]))
    }

    @Test("a sentence is filled in with its values, and braces in a value stay as they are") func values() {
        let texts = PageTexts(.english)
        #expect(texts.text("notice.back", ["name": "{name} & co"]) == "Return to {name} & co")
        #expect(texts.text("notice.back") == "Return to ")
    }

    @Test("a page shows a text in its language, with the operator's sentences if they exist") func texts() {
        let doubled = Text("error.request.doubled")
        let overrides = ["de": [doubled.key: "Zweimal"], "nl": [doubled.key: "Dubbel"]]
        #expect(PageTexts(.english, overrides: overrides).words(of: doubled) == "A parameter is repeated.")
        #expect(PageTexts(.german, overrides: overrides).words(of: doubled) == "Zweimal")
        let dutch = LanguageTag(rawValue: "nl").map { PageTexts($0, overrides: overrides) }
        #expect(dutch?.words(of: doubled) == "Dubbel")
        let refusal = Text(
            "refusal.policyMisnamed",
            ["rule": Text("refusal.noSuchScope", ["scope": Text.comma(["a", 1])])]
        )
        #expect(
            dutch?.words(of: refusal)
                == "This is not a valid policy name. There is no scope named a, 1. List the scopes with `tokenbroker scopes`."
        )
        #expect(
            PageTexts(.german).words(of: refusal)
                == "Das ist kein gültiger Name einer Richtlinie. Eine Berechtigung a, 1 gibt es nicht. `tokenbroker scopes` zeigt alle Berechtigungen."
        )
        #expect(PageTexts(.german).words(of: Text(exactly: "as {it} is")) == "as {it} is")
    }

    @Test("splitting a sentence takes time in proportion to its length") func pieces() {
        #expect(PageTexts.pieces(of: "a {b} c") == [.words("a "), .value("b"), .words(" c")])
        #expect(PageTexts.pieces(of: "a { b") == [.words("a { b")])
        #expect(PageTexts.pieces(of: "a {\"b\":{…}} {c}") == [.words("a {\"b\":{…}} "), .value("c")])
        #expect(PageTexts.pieces(of: "") == [])
        #expect(PageTexts.pieces(of: String(repeating: "{", count: 100_000)).count == 1)
    }

    @Test("an operator's sentence replaces the built-in one only in its language") func overrides() {
        let overrides = ["DE": ["step.password.title": "Herein"]]
        #expect(PageTexts(.german, overrides: overrides).text("step.password.title") == "Herein")
        #expect(PageTexts(.english, overrides: overrides).text("step.password.title") == "Sign in")
    }
}
