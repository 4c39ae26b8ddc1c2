import FlowModel
import Moments
import OAuth
import TestSupport
import Testing

@testable import Flows
@testable import Policies

/// Tests how steps prompt for attributes of every type, and which answers they accept.
@Suite(.timeLimit(.minutes(1)))
struct AttributeFieldsTests {
    private static let rules: [AttributeRule] = [
        AttributeRule(name: "email", required: true),
        AttributeRule(name: "extension_count", kind: .int),
        AttributeRule(name: "extension_number", kind: .long),
        AttributeRule(name: "extension_news", kind: .boolean, input: .radio, required: true),
        AttributeRule(
            name: "extension_born",
            kind: .date,
            validation: Validation(
                name: "past",
                groups: [
                    .init([
                        Predicate(
                            name: "past",
                            method: .isDateRange(from: nil, to: .today),
                            help: ["en": "A day that was.", "de": "Ein Tag, der war."]
                        )
                    ])
                ]
            )
        ),
        AttributeRule(
            name: "extension_days",
            kind: .stringCollection,
            options: [AttributeOption(value: "mon", label: ["en": "Monday"], isSelected: true), "fri"],
            label: ["en": "Days"]
        ),
        AttributeRule(name: "extension_about", input: .textArea),
        AttributeRule(name: "extension_level", input: .readonly),
        AttributeRule(name: "extension_note", input: .paragraph),
    ]

    private static let good: [String: JSONValue] = [
        "email": "jo@example.org", "password": "Secret123", "extension_count": 7,
        "extension_number": 5_000_000_000,
        "extension_news": false, "extension_born": "2000-02-29", "extension_days": ["fri", "mon"],
        "extension_about": "one\r\ntwo",
    ]

    private func rig(_ kind: PolicyKind = .signUp, prefill: [String: JSONValue] = [:]) -> Rig {
        let german = Presentation(language: .german)
        return Rig(Samples.policy(kind, attributes: Self.rules), prefill: prefill, presentation: german)
    }

    @Test(
        "the type determines the field, with its options, labels and limits, and read-only attributes are left out"
    )
    func nodes() {
        let rig = Rig(Samples.policy(.signUp, attributes: Self.rules))
        let nodes = rig.step?.nodes ?? []
        #expect(
            nodes.map(\.name) == [
                "email", "extension_count", "extension_number", "extension_news", "extension_born",
                "extension_days",
                "extension_about", "password",
            ]
        )
        #expect(
            nodes.map(\.kind) == [.email, .number, .number, .bool, .date, .multiselect, .text, .secret]
        )
        #expect(nodes[3].input == .radio && nodes[6].input == .textArea && nodes[1].input == nil)
        #expect(nodes[4].maximum == rig.machine.today.description && nodes[4].minimum == nil)
        #expect(nodes[4].hint == "A day that was.")
        #expect(
            nodes[5].options == ["mon", "fri"]
                && nodes[5].optionLabels == ["mon": "Monday", "fri": "fri"]
        )
        #expect(nodes[5].value == "mon" && nodes[5].label == "Days")
        #expect(nodes[1].maxLength == nil && nodes[6].maxLength == 250)
    }

    @Test("answers of every type are stored unchanged") func answers() {
        let rig = rig()
        rig.submit(Self.good)
        #expect(rig.refusal == nil)
        var expected = Self.good
        expected["password"] = nil
        expected["extension_about"] = "one\ntwo"
        #expect(rig.record.inHand.draft?.attributes == expected)
    }

    @Test("a preselected option counts only if it is submitted") func preselected() {
        let rig = rig()
        rig.submit(Self.good.filter { $0.key != "extension_days" })
        #expect(rig.refusal == nil && rig.record.inHand.draft?.attributes["extension_days"] == nil)
    }

    @Test(
        "an invalid answer has an error code at its node",
        arguments: [
            ("extension_count", "7", .wrongType), ("extension_count", 2_147_483_648, .outOfRange),
            ("extension_number", 9_007_199_254_740_992, .outOfRange), ("extension_news", .null, .missing),
            ("extension_news", "no", .wrongType), ("extension_born", "yesterday", .malformed),
            ("extension_born", "2999-01-01", .outOfRange), ("extension_days", ["sun"], .notAnOption),
            ("extension_days", ["mon", "mon"], .malformed), ("extension_days", "mon", .wrongType),
            ("extension_about", "a\u{202E}", .malformed),
            ("extension_about", .string(String(repeating: "x", count: 251)), .tooLong),
            ("extension_level", "gold", .unknown), ("extension_note", "gold", .unknown),
        ] as [(String, JSONValue, NodeProblem.Code)]
    )
    func refused(_ name: String, _ value: JSONValue, code: NodeProblem.Code) {
        let rig = rig()
        rig.submit(Self.good.merging([name: value]) { $1 })
        #expect(rig.refusal?.reason == .invalidAnswer)
        #expect(rig.refusal?.nodes.map(\.name) == [name] && rig.refusal?.nodes.map(\.code) == [code])
    }

    @Test("a list with a duplicate or too many items is rejected with its own message in every language")
    func lists() {
        let many = JSONValue.array((0...100).map { .string("\($0)") })
        let rows: [(LanguageTag, JSONValue, String)] = [
            (.english, ["mon", "fri", "mon"], "Days contains Monday twice."),
            (.german, ["fri", "fri"], "Days enthält fri zweimal."),
            (.english, many, "Days has more than 100 items."), (.german, many, "Days hat mehr als 100 Einträge."),
        ]
        for (language, value, text) in rows {
            let rig = Rig(
                Samples.policy(.signUp, attributes: Self.rules),
                presentation: Presentation(language: language)
            )
            rig.submit(Self.good.merging(["extension_days": value]) { $1 })
            #expect(rig.refusal?.nodes.map(\.text) == [text] && rig.refusal?.nodes.map(\.code) == [.malformed])
        }
    }

    @Test("an unsatisfied predicate is named in the user's language") func predicate() {
        let rig = rig()
        rig.submit(Self.good.merging(["extension_born": "2999-01-01"]) { $1 })
        #expect(
            rig.refusal?.nodes.first?.rule == "past"
                && rig.refusal?.nodes.first?.text == "Ein Tag, der war."
        )
    }

    @Test(
        "a new password that does not satisfy its validation is too weak, with the name of the predicate"
    )
    func password() throws {
        let digit = Predicate(
            name: "digit",
            method: .includesCharacters(try #require(CharacterChoice("0-9"))),
            help: ["en": "A digit."]
        )
        var rule = PasswordRule.simple
        rule.validation = Validation(name: "v", groups: [.init([digit])])
        let policy = Policy(
            id: try PolicyID("b2c_1_sign_up"),
            kind: .signUp,
            attributes: [AttributeRule(name: "email", required: true)],
            password: rule,
            checks: Dictionary(uniqueKeysWithValues: Samples.checks.map { ($0.name, $0) })
        )
        let rig = Rig(policy)
        #expect(rig.step?.nodes.last?.hint == "8 to 64 characters, A digit.")
        rig.submit(["email": "jo@example.org", "password": "no such here"])
        let problem = rig.refusal?.nodes.first
        #expect(problem?.code == .tooWeak && problem?.rule == "digit" && problem?.text == "A digit.")
    }

    /// Starts a profile edit of a user who has these attributes.
    private func edit(_ profile: [String: JSONValue]) -> Rig {
        let rig = Rig(Samples.policy(.profileEdit, attributes: Array(Self.rules.dropFirst())))
        rig.passwordRight()
        rig.happen(.evaluated(.profile(profile)))
        return rig
    }

    @Test(
        "a profile edit shows stored values, also read-only ones, and leaves those unchanged"
    )
    func shown() {
        let rig = edit([
            "extension_level": "gold", "extension_days": ["fri"], "extension_note": "Since 2001.",
        ])
        let nodes = rig.step?.nodes ?? []
        #expect(nodes.first { $0.name == "extension_days" }?.value == "fri")
        let level = nodes.first { $0.name == "extension_level" }
        #expect(
            level?.kind == .info && level?.input == .readonly && level?.value == "gold"
                && level?.required == false
        )
        #expect(nodes.first { $0.name == "extension_note" }?.input == nil)
        rig.submit(["extension_news": true])
        #expect(rig.refusal == nil)
        #expect(
            rig.finish?.profile?["extension_level"] == nil && rig.finish?.profile?["extension_days"] == .null
        )
    }

    @Test("a stored value of another type is filled in as far as it can be converted")
    func changedType() {
        let rig = edit([
            "extension_count": "12", "extension_number": "many", "extension_born": 1,
            "extension_days": "fri",
        ])
        let values = Dictionary(
            uniqueKeysWithValues: (rig.step?.nodes ?? []).map { ($0.name, $0.value) }
        )
        #expect(values["extension_count"] == "12" && values["extension_days"] == "fri")
        #expect(values["extension_number"] == .some(nil) && values["extension_born"] == .some(nil))
    }

    @Test("the program that starts a flow cannot fill in read-only attributes") func prefilled() {
        let rig = rig(prefill: ["extension_level": "gold"])
        #expect(rig.step?.nodes.contains { $0.name == "extension_level" } == false)
        let refusal = #expect(throws: Refusal.self) { try rig.view.requirePrefill(["extension_level": "gold"]) }
        #expect(refusal?.reason == .invalidAnswer)
        #expect(refusal?.nodes.map(\.name) == ["extension_level"] && refusal?.nodes.map(\.code) == [.unknown])
    }

    @Test("answers of 1 MiB are rejected before they are processed") func large() {
        let rig = rig()
        rig.submit(
            Self.good.merging(["extension_about": .string(String(repeating: "x", count: 1 << 20))]) { $1 }
        )
        #expect(
            rig.refusal?.nodes.map(\.code) == [.tooLong] && rig.refusal?.nodes.map(\.name) == ["answers"]
        )
    }
}
