import FlowModel
import Localization
import Testing

@Suite(.timeLimit(.minutes(1))) struct LanguageTests {
    @Test(
        "the language of a page comes from ui_locales, then the browser, then the policy, then English",
        arguments: [
            ("de", "en", "en", "de"), ("fr de", "en", "en", "de"), ("fr", "de;q=0.8, en;q=0.9", "de", "en"),
            (nil, "fr, de-AT;q=0.7, en;q=0.3", "en", "de"), (nil, "de;q=0, fr", "de", "de"), (nil, nil, "de", "de"),
            (nil, "*", "de", "de"), ("fr", "it", "es", "en"), ("DE-ch", nil, "en", "de"), ("", "", "de", "de"),
            ("<script>", "de; q=x, \u{0}", "en", "en"), (nil, "en;q=0.5,de;q=0.5", "de", "en"),
        ] as [(String?, String?, String, String)]
    )
    func chosen(_ uiLocales: String?, _ accepted: String?, _ preset: String, _ expected: String) throws {
        let language = LanguageTag.choose(
            uiLocales: uiLocales,
            acceptLanguage: accepted,
            preset: try #require(LanguageTag(rawValue: preset)),
            available: PageTexts.available()
        )
        #expect(language.rawValue == expected)
    }

    @Test("a region for which only the operator has texts is also chosen for its language") func regions() throws {
        let overrides = ["pt-br": ["step.password.title": "Entrar"]]
        let language = LanguageTag.choose(
            uiLocales: "pt",
            acceptLanguage: nil,
            preset: .english,
            available: PageTexts.available(beside: overrides)
        )
        #expect(language.rawValue == "pt-br")
        #expect(PageTexts(language, overrides: overrides).text("step.password.title") == "Entrar")
        #expect(PageTexts(language, overrides: overrides).text("step.code.submit") == "Confirm code")
    }

    @Test("Arabic and Hebrew go from right to left, German does not") func directions() throws {
        #expect(try #require(LanguageTag(rawValue: "ar-EG")).isRightToLeft)
        #expect(try #require(LanguageTag(rawValue: "he")).isRightToLeft)
        #expect(!LanguageTag.german.isRightToLeft)
    }

    @Test("a language is named in that language") func names() {
        #expect(LanguageTag.german.name == "Deutsch")
        #expect(LanguageTag.english.name == "English")
    }
}
