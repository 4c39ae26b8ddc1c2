import OAuth
import Testing

@testable import Policies

@Suite(.timeLimit(.minutes(2)))
struct PasswordRuleTests {
    private static let today = CalendarDay(secondsSince1970: 1_764_000_000)

    @Test(
        "a strong password has 8 to 64 characters of three classes",
        arguments: [
            ("Abcdef1", .tooShort(8)), ("Abcdefg1", nil), ("abcdefg1", .tooFewClasses(3)), ("abcdefg1!", nil),
            ("ABCDEFG1", .tooFewClasses(3)), ("P\u{E4}\u{DF}w\u{F6}rter1", nil), ("", .tooShort(8)),
            (String(repeating: "aA1", count: 21) + "a", nil),
            (String(repeating: "aA1", count: 21) + "aA", .tooLong(64)),
        ] as [(String, PasswordRule.Refusal?)]
    )
    func strong(_ text: String, refusal: PasswordRule.Refusal?) {
        #expect(PasswordRule.strong.refusal(of: Secret(text), on: Self.today) == refusal)
    }

    @Test("a simple password has 8 to 64 characters") func simple() {
        #expect(PasswordRule.simple.refusal(of: Secret("aaaaaaaa"), on: Self.today) == nil)
        #expect(PasswordRule.simple.refusal(of: Secret("aaaaaaa"), on: Self.today) == .tooShort(8))
    }

    @Test("a rule of four classes requires all four") func own() {
        let rule = PasswordRule(minLength: 4, maxLength: 8, classes: 4)
        #expect(rule.refusal(of: Secret("aA1!"), on: Self.today) == nil)
        #expect(rule.refusal(of: Secret("aA11"), on: Self.today) == .tooFewClasses(4))
    }
}
