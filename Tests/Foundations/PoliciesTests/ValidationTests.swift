import FlowModel
import Localization
import OAuth
import Testing

@testable import Policies

@Suite(.timeLimit(.minutes(1)))
struct ValidationTests {
    private static let today = CalendarDay(secondsSince1970: 1_764_000_000)

    private static func predicate(_ name: String, _ method: Predicate.Method) -> Predicate {
        Predicate(name: name, method: method, help: ["en": "is \(name)", "de": "ist \(name)"])
    }

    private static func characters(_ name: String, _ text: String) throws -> Predicate {
        predicate(name, .includesCharacters(try #require(CharacterChoice(text))))
    }

    private static func name() throws -> Validation {
        let length = predicate("length", .isLengthRange(minLength: 4, maxLength: 8))
        let kinds = try [
            characters("lower", "a-z"), characters("upper", "A-Z"), characters("digit", "0-9"),
        ]
        return Validation(name: "name", groups: [.init([length]), .init(kinds, atLeast: 2)])
    }

    @Test(
        "each group requires all of its predicates, or a minimum number of them",
        arguments: [
            ("aB1x", nil, nil), ("abc1", nil, nil), ("aB1", "length", .tooShort),
            ("aB1aB1aB1", "length", .tooLong),
            ("abcd", "name/2", .malformed), ("----", "name/2", .malformed),
        ] as [(String, String?, Predicate.Unmet?)]
    )
    func groups(_ text: String, rule: String?, reason: Predicate.Unmet?) throws {
        let fault = try Self.name().fault(of: text, on: Self.today)
        #expect(fault?.rule == rule && fault?.reason == reason)
    }

    @Test("the sentence for an unmet rule is in the user's language, or lists the alternatives with their number")
    func sentences()
        throws
    {
        let (english, german) = (PageTexts(.english), PageTexts(.german))
        let rule = try Self.name()
        #expect(english.sentence(for: "length", of: rule, in: [.english]) == "is length")
        #expect(german.sentence(for: "length", of: rule, in: [.german]) == "ist length")
        #expect(
            german.sentence(for: "name/2", of: rule, in: [.german])
                == "mindestens 2 davon: ist lower, ist upper, ist digit"
        )
        #expect(english.lines(of: rule, in: [.english]).count == 2)
        // The predicate `lower` is part of a group with alternatives, so it is never reported alone.
        #expect(english.sentence(for: "lower", of: rule, in: [.english]) == nil)
        #expect(
            english.sentence(for: "length", of: rule, in: [try #require(LanguageTag(rawValue: "fr"))])
                == "ist length"
        )
        let own = Validation(
            name: "own",
            groups: [.init(rule.groups[0].predicates, help: ["en": "Four to eight."])]
        )
        #expect(english.sentence(for: "length", of: own, in: [.english]) == "Four to eight.")
    }

    @Test(
        "a range of days includes both ends",
        arguments: [
            ("1999-12-31", false), ("2000-01-01", true), ("2025-11-24", true), ("2025-11-25", false),
            ("never", nil),
        ] as [(String, Bool?)]
    )
    func days(_ text: String, isMet: Bool?) throws {
        let first = try #require(CalendarDay("2000-01-01"))
        let range = Self.predicate("adult", .isDateRange(from: .day(first), to: .today))
        let rule = Validation(name: "v", groups: [.init([range])])
        let fault = rule.fault(of: text, on: Self.today)
        #expect(fault?.reason == (isMet == true ? nil : isMet == false ? .outOfRange : .malformed))
        let bounds = rule.days(on: Self.today)
        #expect(bounds.first == first && bounds.last == Self.today)
    }

    @Test(
        "a regular expression must match the whole value, and one that backtracks too long matches nothing"
    )
    func regex() {
        let rule = Validation(
            name: "v",
            groups: [.init([Self.predicate("p", .matchesRegex(pattern: "(a+)+b"))])]
        )
        #expect(rule.fault(of: "aab", on: Self.today) == nil)
        #expect(rule.fault(of: "aabc", on: Self.today)?.rule == "p")
        #expect(rule.fault(of: String(repeating: "a", count: 1000), on: Self.today)?.rule == "p")
    }

    @Test(
        "characters are listed singly or as ranges, and a backslash escapes the next one",
        arguments: [
            ("a-z", "5", false), ("a-z", "M", false), ("a-z", "5m", true), ("a\\-z", "m", false),
            ("a\\-z", "-", true),
            ("-a", "-", true), ("a-", "-", true), ("@#$", "#", true), ("\\\\", "\\", true),
            ("α-ω", "π", true),
        ]
    )
    func characters(_ choice: String, _ text: String, isFound: Bool) throws {
        let rule = Validation(name: "v", groups: [.init([try Self.characters("c", choice)])])
        #expect((rule.fault(of: text, on: Self.today) == nil) == isFound)
    }

    @Test("an invalid character set is rejected", arguments: ["z-a", "\\", "", "a\\"])
    func noCharacters(_ text: String) {
        #expect(CharacterChoice(text) == nil)
    }

    @Test("a password must satisfy its strength first, then the validation") func password() throws {
        var rule = PasswordRule.simple
        rule.validation = Validation(name: "v", groups: [.init([try Self.characters("digit", "0-9")])])
        #expect(rule.refusal(of: Secret("short"), on: Self.today) == .tooShort(8))
        #expect(rule.refusal(of: Secret("long enough 1"), on: Self.today) == nil)
        guard case .unmet(let fault)? = rule.refusal(of: Secret("long enough"), on: Self.today) else {
            Issue.record("the validation does not count")
            return
        }
        #expect(fault.rule == "digit")
        #expect(PageTexts(.german).lines(of: rule, in: [.german]).last == "ist digit")
    }
}
