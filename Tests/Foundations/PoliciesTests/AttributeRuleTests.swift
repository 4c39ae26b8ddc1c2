import FlowModel
import Policies
import Testing

@Suite(.timeLimit(.minutes(2)))
struct AttributeRuleTests {
    private static let today = CalendarDay(secondsSince1970: 1_764_000_000)

    @Test(
        "a value that violates its rule is rejected with the reason",
        arguments: [
            (AttributeRule(name: "city", required: true), "", .missing),
            (AttributeRule(name: "city", required: true), "   ", .missing),
            (AttributeRule(name: "city"), "", nil),
            (AttributeRule(name: "city"), String(repeating: "a", count: 128), nil),
            (AttributeRule(name: "city"), String(repeating: "a", count: 129), .tooLong(128)),
            (AttributeRule(name: "displayName"), "<b>", .malformed),
            (AttributeRule(name: "displayName"), "Ana\u{202E}", .forbiddenCharacters),
            (AttributeRule(name: "displayName"), "Ana\n", .forbiddenCharacters),
            (AttributeRule(name: "displayName"), "Zo\u{EB} \u{D8}", nil),
            (AttributeRule(name: "extension_team", options: ["red", "blue"]), "green", .notAnOption(["red", "blue"])),
            (AttributeRule(name: "extension_team", options: ["red", "blue"]), "red", nil),
            (AttributeRule(name: "extension_age", kind: .int), "12", nil),
            (AttributeRule(name: "extension_age", kind: .int), "012", .malformed),
            (AttributeRule(name: "extension_age", kind: .int), "12.5", .malformed),
            (AttributeRule(name: "extension_news", kind: .boolean), "true", nil),
            (AttributeRule(name: "extension_news", kind: .boolean), "yes", .malformed),
            (AttributeRule(name: "extension_code", minLength: 3), "ab", .tooShort(3)),
            (AttributeRule(name: "extension_code", pattern: "[a-z]+|[0-9]+"), "ab1", .malformed),
            (AttributeRule(name: "extension_code", pattern: "[a-z]+|[0-9]+"), "12", nil),
            (AttributeRule(name: "email"), "ana@example.com", nil),
            (AttributeRule(name: "email"), "ana@", .noAddress),
            (AttributeRule(name: "username"), "ana smith", .malformed),
        ] as [(AttributeRule, String, AttributeRule.Refusal?)]
    )
    func answers(_ rule: AttributeRule, _ text: String, refusal: AttributeRule.Refusal?) {
        #expect(rule.refusal(of: text, on: Self.today) == refusal)
    }

    @Test(
        "an e-mail address is a dot-atom and a domain",
        arguments: [
            ("a@b", true), ("a.b+c@example.org", true), ("\u{E4}@ex\u{E4}mple.de", true), ("a@b@c", false),
            ("@b", false), ("a..b@c.d", false), (".a@c.d", false), ("a@-b.c", false), ("a@b..c", false),
            ("a b@c.d", false), ("a@c.d\r\nBcc: x@y", false), ("\"a\"@b.c", false), ("a@[127.0.0.1]", false),
            ("a<b>@c.d", false),
        ]
    )
    func addresses(_ text: String, isAddress: Bool) {
        #expect(AttributeRule.isAddress(text) == isAddress)
    }

    @Test("a label is found in the first available language") func labels() {
        let rule = AttributeRule(name: "extension_team", label: ["en": "Team", "de": "Mannschaft"])
        #expect(rule.label(in: languages("de-AT")) == "Mannschaft")
        #expect(rule.label(in: languages("fr", "en")) == "Team")
        #expect(AttributeRule(name: "city").label(in: languages("fr", "en")) == nil)
    }

    private func languages(_ tags: String...) -> [LanguageTag] { tags.compactMap { LanguageTag(rawValue: $0) } }
}
