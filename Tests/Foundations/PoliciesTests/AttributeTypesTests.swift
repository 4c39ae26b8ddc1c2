import FlowModel
import OAuth
import Testing

@testable import Policies

@Suite(.timeLimit(.minutes(1)))
struct AttributeTypesTests {
    private static let today = CalendarDay(secondsSince1970: 1_764_000_000)
    private static let weekdays = AttributeRule(
        name: "extension_days",
        kind: .stringCollection,
        options: ["mon", AttributeOption(value: "fri", label: ["de": "Freitag"])]
    )

    @Test(
        "a value is a JSON value of its attribute's type",
        arguments: [
            (AttributeRule(name: "extension_a", kind: .int), 2_147_483_647, nil),
            (AttributeRule(name: "extension_a", kind: .int), 2_147_483_648, .outOfRange),
            (AttributeRule(name: "extension_a", kind: .int), -2_147_483_649, .outOfRange),
            (AttributeRule(name: "extension_a", kind: .int), "7", .wrongType),
            (AttributeRule(name: "extension_a", kind: .int), 7.5, .wrongType),
            (AttributeRule(name: "extension_a", kind: .long), 9_007_199_254_740_991, nil),
            (AttributeRule(name: "extension_a", kind: .long), 9_007_199_254_740_992, .outOfRange),
            (AttributeRule(name: "extension_a", kind: .boolean), false, nil),
            (AttributeRule(name: "extension_a", kind: .boolean), "false", .wrongType),
            (AttributeRule(name: "extension_a", kind: .date), "2024-02-29", nil),
            (AttributeRule(name: "extension_a", kind: .date), "2023-02-29", .malformed),
            (AttributeRule(name: "extension_a", kind: .date), "29.02.2024", .malformed),
            (AttributeRule(name: "extension_a", kind: .date), 20_240_229, .wrongType),
            (AttributeRule(name: "extension_a", kind: .date, required: true), "", .missing),
            (weekdays, ["mon", "fri"], nil), (weekdays, [], nil), (weekdays, ["mon", "mon"], .itemTwice("mon")),
            (weekdays, ["sun", "sun"], .notAnOption(["mon", "fri"])),
            (weekdays, ["sun"], .notAnOption(["mon", "fri"])),
            (weekdays, ["Freitag"], .notAnOption(["mon", "fri"])),
            (weekdays, "mon", .wrongType), (weekdays, ["mon", 1], .wrongType),
            (AttributeRule(name: "extension_a"), ["mon"], .wrongType),
            (AttributeRule(name: "extension_a"), 1, .wrongType),
            (AttributeRule(name: "extension_a"), "two\nlines", .forbiddenCharacters),
            (AttributeRule(name: "extension_a", input: .textArea), "two\nlines", nil),
            (AttributeRule(name: "extension_a", input: .textArea), "a\u{202E}b", .forbiddenCharacters),
            (AttributeRule(name: "extension_a", input: .textArea), "a\u{1B}[2Jb", .forbiddenCharacters),
            (
                AttributeRule(
                    name: "extension_a",
                    kind: .stringCollection,
                    required: true,
                    options: ["mon"]
                ), [],
                .missing
            ),
            (
                AttributeRule(name: "extension_a", kind: .stringCollection), ["a\u{7}"],
                .forbiddenCharacters
            ),
            (
                AttributeRule(name: "extension_a", kind: .stringCollection),
                .array([.string(String(repeating: "x", count: 251))]), .tooLong(250)
            ),
            (
                AttributeRule(name: "extension_a", kind: .stringCollection),
                .array((0...100).map { .string("\($0)") }), .tooManyItems(100)
            ),
            (
                AttributeRule(name: "extension_a"), .string(String(repeating: "x", count: 1 << 20)),
                .tooLong(250)
            ),
            // The value and the option are canonically equivalent in Unicode, but have different code points.
            (
                AttributeRule(name: "extension_a", options: ["\u{E9}"]), "e\u{301}",
                .notAnOption(["\u{E9}"])
            ),
        ] as [(AttributeRule, JSONValue, AttributeRule.Refusal?)]
    )
    func values(_ rule: AttributeRule, _ value: JSONValue, refusal: AttributeRule.Refusal?) {
        #expect(rule.refusal(of: value, on: Self.today) == refusal)
    }

    @Test(
        "a stored value is converted to the attribute's new type, or ignored",
        arguments: [
            (.string, 12, "12"), (.string, true, "true"), (.string, ["red"], "red"),
            (.string, ["red", "blue"], nil),
            (.int, "12", 12), (.int, "twelve", nil), (.int, 5_000_000_000, nil), (.int, "012", nil),
            (.int, 12.5, nil),
            (.long, 5_000_000_000, 5_000_000_000), (.long, 9_007_199_254_740_992, nil),
            (.boolean, "true", true),
            (.boolean, "yes", nil), (.boolean, 1, nil), (.date, "2000-01-02", "2000-01-02"),
            (.date, "soon", nil),
            (.date, 2000, nil), (.stringCollection, "red", ["red"]),
            (.stringCollection, ["a", "b"], ["a", "b"]),
            (.stringCollection, 3, ["3"]), (.stringCollection, ["a", 1], nil), (.string, [:], nil),
            (.int, .null, nil),
            (.email, "a@b.example", "a@b.example"), (.email, 1, nil), (.email, "ann", nil),
            (.string, "", nil), (.date, "2000-02-30", nil), (.boolean, false, false),
        ] as [(AttributeRule.Kind, JSONValue, JSONValue?)]
    )
    func adopted(_ kind: AttributeRule.Kind, _ stored: JSONValue, _ value: JSONValue?) {
        #expect(AttributeRule(name: "extension_a", kind: kind).adopting(stored) == value)
    }

    @Test(
        "a stored value that is no longer an option is ignored, also as an item of a list",
        arguments: [
            (.string, "mon", "mon"), (.string, "sun", nil), (.string, "Freitag", nil),
            // The value and the option are canonically equivalent in Unicode, but have different code points.
            (.string, "e\u{301}", nil), (.string, "\u{E9}", "\u{E9}"),
            (.stringCollection, ["fri", "sun", "mon"], ["fri", "mon"]), (.stringCollection, ["sun"], nil),
            (.stringCollection, "mon", ["mon"]), (.stringCollection, "sun", nil), (.stringCollection, 7, nil),
        ] as [(AttributeRule.Kind, JSONValue, JSONValue?)]
    )
    func adoptedOptions(_ kind: AttributeRule.Kind, _ stored: JSONValue, _ value: JSONValue?) {
        let options: [AttributeOption] = ["mon", AttributeOption(value: "fri", label: ["de": "Freitag"]), "\u{E9}"]
        #expect(AttributeRule(name: "extension_a", kind: kind, options: options).adopting(stored) == value)
    }

    @Test(
        "a pattern that backtracks too long is stopped, and the text is rejected",
        arguments: ["(a+)+b", "(a|a)*b", "(.*,){20}x", "(a?){60}a{60}b"]
    )
    func patterns(_ pattern: String) {
        let rule = AttributeRule(name: "extension_a", maxLength: 250, pattern: pattern)
        for text in [String(repeating: "a", count: 249) + "c", String(repeating: "a,", count: 125)] {
            #expect(rule.refusal(of: text, on: Self.today) == .malformed)
        }
    }

    @Test("a pattern must match the whole text, and long texts that match are accepted")
    func wholePattern() {
        let rule = AttributeRule(name: "streetAddress", pattern: "(a|b)*")
        #expect(rule.refusal(of: String(repeating: "ab", count: 512), on: Self.today) == nil)
        #expect(rule.refusal(of: "abc", on: Self.today) == .malformed)
    }

    @Test(
        "only existing calendar days are accepted",
        arguments: [
            ("1900-02-29", false), ("2000-02-29", true), ("0000-01-01", false), ("0001-01-01", true),
            ("2026-04-31", false), ("2026-13-01", false), ("2026-1-01", false), ("+026-01-01", false),
            ("2026-01-01 ", false), ("２０２６-01-01", false), ("2026-12-31", true), ("", false),
        ]
    )
    func days(_ text: String, isDay: Bool) { #expect((CalendarDay(text) != nil) == isDay) }

    @Test(
        "a time belongs to a day in UTC",
        arguments: [
            (0, "1970-01-01"), (-1, "1969-12-31"), (86_399, "1970-01-01"), (86_400, "1970-01-02"),
            (951_782_400, "2000-02-29"), (1_764_000_000, "2025-11-24"), (.max, "9999-12-31"),
            (.min, "0001-01-01"),
        ] as [(Int64, String)]
    )
    func times(_ seconds: Int64, _ day: String) {
        #expect(CalendarDay(secondsSince1970: seconds).description == day)
    }

    @Test("an option has the label of the user's language, or else its value") func words() {
        let german = [LanguageTag.german]
        #expect(Self.weekdays.optionLabels(in: german) == ["mon": "mon", "fri": "Freitag"])
        #expect(Self.weekdays.optionLabels(in: [.english]) == ["mon": "mon", "fri": "fri"])
    }
}
