import FlowModel
import Foundation
import HostedPages
import Localization
import OAuth
import Testing

@testable import Policies

@Suite(.timeLimit(.minutes(1)))
struct AttributeFieldTests {
    private func html(
        _ nodes: [Node],
        attributes: [AttributeRule] = [],
        language: LanguageTag = .english,
        change: (inout StepPage) -> Void = { _ in }
    ) throws -> String {
        let policy = Policy(id: try PolicyID("b2c_1_a"), kind: .signUp, attributes: attributes)
        let step = Step(id: "st_1", type: .attributes, title: "A step", nodes: nodes)
        let form = PageForm(action: "/t/flow", csrf: "c", submission: "s")
        var page = StepPage(step, policy: policy, form: form, now: Date(timeIntervalSince1970: 1_000))
        change(&page)
        let frame = PageFrame(brand: PageBrand(policy), texts: PageTexts(language), assets: "/a")
        return HostedPage.step(page).html(in: frame)
    }

    private let team = Node(
        name: "extension_team",
        kind: .select,
        label: "Team",
        required: false,
        options: ["red", "blue"],
        optionLabels: ["red": "Red", "blue": "Blue"],
        input: .radio
    )
    private let rule = AttributeRule(
        name: "extension_team",
        options: [
            AttributeOption(value: "red", label: ["en": "Red", "de": "Rot"]),
            AttributeOption(value: "blue", label: ["en": "Blue", "de": "Blau"]),
        ]
    )

    @Test("options have labels in the page's language and values for the form") func labels() throws {
        let html = try html([team], attributes: [rule], language: .german) {
            $0.previous.kept = ["extension_team": "blue"]
        }
        #expect(
            html.contains(#"type="radio" id="field-1-1" name="extension_team" value="red"> Rot</label>"#)
        )
        #expect(html.contains(#"name="extension_team" value="blue" checked> Blau</label>"#))
        let list = Node(
            name: "extension_team",
            kind: .select,
            label: "T",
            required: true,
            options: ["red", "blue"]
        )
        let other = try self.html([list], attributes: [rule], language: .german)
        #expect(other.contains(#"<option value="red">Rot</option>"#))
    }

    @Test("yes and no may be two buttons, neither of which is selected at first") func truth() throws {
        let news = Node(
            name: "extension_news",
            kind: .bool,
            label: "News",
            required: true,
            input: .radio
        )
        let html = try html([news], language: .german)
        #expect(
            html.contains(#"value="true"> Ja</label>"#) && html.contains(#"value="false"> Nein</label>"#)
        )
        #expect(!html.contains(" checked"))
        #expect(
            try self.html([news]) { $0.previous.kept = ["extension_news": "false"] }.contains(
                #"value="false" checked"#
            )
        )
    }

    @Test("multiline text keeps its lines, and is escaped") func lines() throws {
        let about = Node(
            name: "extension_about",
            kind: .text,
            label: "About",
            required: true,
            value: "one\n</textarea>",
            maxLength: 250,
            input: .textArea
        )
        let html = try html([about])
        #expect(html.contains(#"<textarea id="field-1" name="extension_about" required"#))
        #expect(
            html.contains(#" maxlength="250""#) && html.contains("one\n&lt;/textarea&gt;</textarea>")
        )
        #expect(!html.contains(" type=\"text\" enterkeyhint"))
    }

    @Test("a read-only attribute is a disabled field, or text") func shown() throws {
        let level = Node(
            name: "extension_level",
            kind: .info,
            label: "Level",
            required: false,
            value: "gold",
            input: .readonly
        )
        let field = try html([level])
        #expect(field.contains(#"<input id="shown-1" type="text" dir="auto" readonly value="gold">"#))
        #expect(
            !field.contains(#"name="extension_level""#) && field.contains(#"<label for="shown-1">"#)
        )
        let text = Node(
            name: "extension_level",
            kind: .info,
            label: "Level",
            required: false,
            value: "gold"
        )
        #expect(try html([text]).contains("<b>gold</b>"))
    }

    @Test("a date has its bounds") func days() throws {
        let born = Node(
            name: "b",
            kind: .date,
            label: "B",
            required: false,
            minimum: "1900-01-01",
            maximum: "2025-11-24"
        )
        #expect(try html([born]).contains(#"min="1900-01-01" max="2025-11-24""#))
    }

    @Test("ticked and unticked boxes keep their state") func kept() throws {
        let days = Node(
            name: "d",
            kind: .multiselect,
            label: "D",
            required: false,
            value: "mon\nfri",
            options: ["mon", "wed", "fri"]
        )
        let news = Node(name: "n", kind: .bool, label: "N", required: false, value: "true")
        #expect(try html([days, news]).matches(of: #/ checked/#).count == 3)
        let fields = [("d", ""), ("d", "wed"), ("d", "fri")]
        let again = try html([days, news]) { $0.previous.kept = StepPage.kept(fields) }
        #expect(again.contains(#"value="wed" checked"#) && again.contains(#"value="fri" checked"#))
        #expect(!again.contains(#"value="mon" checked"#) && !again.contains(#"value="true" checked"#))
    }

    @Test(
        "boxes without a tick are an empty list, and radio buttons without a selection are no answer"
    ) func empty() {
        let days = Node(name: "d", kind: .multiselect, label: "D", required: false, options: ["mon"])
        let news = Node(name: "n", kind: .bool, label: "N", required: true, input: .radio)
        let step = Step(id: "st_1", type: .attributes, title: "", nodes: [days, news])
        #expect(StepPage.answers([("d", "")], to: step) == ["d": []])
        #expect(
            StepPage.answers([("d", "mon"), ("d", ""), ("n", "false")], to: step) == [
                "d": ["mon"], "n": false,
            ]
        )
        #expect(StepPage.answers([], to: step) == [:])
    }

    @Test(
        "a failed predicate is shown at its field, in the page's language, and is announced with a group"
    ) func problems()
        throws
    {
        let length = Predicate(
            name: "length",
            method: .isLengthRange(minLength: 4, maxLength: 8),
            help: ["en": "Four to eight.", "de": "Vier bis acht."]
        )
        let own = AttributeRule(
            name: "extension_code",
            validation: Validation(name: "v", groups: [.init([length])])
        )
        let node = Node(
            name: "extension_code",
            kind: .text,
            label: "Code",
            required: false,
            hint: "Four to eight."
        )
        let html = try html([node, team], attributes: [own, rule], language: .german) {
            $0.previous.problems = [
                NodeProblem(
                    name: "extension_code",
                    code: .tooShort,
                    text: "Four to eight.",
                    rule: "length"
                ),
                NodeProblem(name: "extension_team", code: .missing, text: "?"),
            ]
        }
        #expect(html.contains(##"<a href="#field-1">Vier bis acht.</a>"##))
        #expect(
            html.contains(##"<p class="wrong" id="field-1-wrong">"##) && !html.contains("Four to eight.")
        )
        #expect(
            html.contains(#"<li>Vier bis acht.</li>"#)
                && html.contains(#"aria-describedby="field-1-wrong field-1-hint""#)
        )
        #expect(
            html.contains(#"<fieldset class="field" id="field-2" aria-describedby="field-2-wrong">"#)
        )
    }
}
