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
            (AttributeRule(name: "displayName"), "\u{645}\u{6CC}\u{200C}\u{62E}", nil),
            (AttributeRule(name: "displayName"), "\u{915}\u{94D}\u{200D}\u{937} \u{1F469}\u{200D}\u{1F680}", nil),
            (AttributeRule(name: "displayName"), "Silben\u{AD}trennung", nil),
            (AttributeRule(name: "displayName"), "Ana\u{200D}", .forbiddenCharacters),
            (AttributeRule(name: "displayName"), "\u{200C}Ana", .forbiddenCharacters),
            (AttributeRule(name: "displayName"), "A\u{200D}\u{200D}na", .forbiddenCharacters),
            (AttributeRule(name: "displayName"), "A\u{200D} na", .forbiddenCharacters),
            (AttributeRule(name: "displayName"), "Ana\u{E0041}", .forbiddenCharacters),
            (AttributeRule(name: "displayName"), "A\u{200B}na", .forbiddenCharacters),
            (AttributeRule(name: "displayName"), "A\u{200F}na", .forbiddenCharacters),
            (AttributeRule(name: "displayName", required: true), "\u{AD}", .missing),
            (AttributeRule(name: "username"), "a\u{200D}b", .forbiddenCharacters),
            (AttributeRule(name: "username"), "a\u{AD}b", .forbiddenCharacters),
            (AttributeRule(name: "email"), "a\u{AD}b@example.com", .forbiddenCharacters),
            (AttributeRule(name: "email"), "a@x\u{200C}y.example", .forbiddenCharacters),
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
            ("a<b>@c.d", false), ("a@xn--bcher-kva.de", true), ("a@\u{2615}.example", false),
            ("a@b\u{FC}_c.de", false), ("a@\u{FC}\u{2100}.de", false), ("a@-\u{FC}.de", false),
            ("a\u{200D}b@c.d", false), ("a@\(String(repeating: "\u{FC}", count: 60)).de", false),
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
