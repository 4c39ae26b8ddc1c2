import FlowModel
import Testing

@Suite(.timeLimit(.minutes(1)))
struct LanguageTagTests {
    @Test(
        "a tag is a language of two or three letters and subtags of up to eight letters and digits",
        arguments: [
            ("de", true), ("pt-BR", true), ("zh-Hant-TW", true), ("de-1996", true), ("d", false), ("deut", false),
            ("", false), ("de-", false), ("-de", false), ("de_AT", false), ("de-AT.UTF-8", false), ("d3", false),
            ("de-abcdefghi", false), ("d e", false), ("de-\u{301}", false), ("12", false), ("dé", false),
            (String(repeating: "de-", count: 20) + "de", false),
        ]
    )
    func grammar(_ text: String, isTag: Bool) {
        #expect((LanguageTag(rawValue: text) != nil) == isTag)
    }

    @Test(
        "the language of an environment comes from LC_ALL, then LC_MESSAGES, then LANG",
        arguments: [
            ([:], nil), (["LANG": "de_DE.UTF-8"], "de-de"), (["LANG": "de_DE", "LC_MESSAGES": "fr_FR"], "fr-fr"),
            (["LANG": "de_DE", "LC_MESSAGES": "fr_FR", "LC_ALL": "en_GB@euro"], "en-gb"),
            (["LANG": "de_DE", "LC_ALL": ""], "de-de"), (["LANG": "de_DE", "LC_ALL": "C"], nil),
            (["LANG": "C.UTF-8"], nil), (["LANG": "POSIX"], nil), (["LANG": "de"], "de"), (["LANG": "../x"], nil),
        ] as [([String: String], String?)]
    )
    func environments(_ environment: [String: String], tag: String?) {
        #expect(LanguageTag(environment: environment)?.rawValue == tag)
    }

    @Test("a tag matches as it is, then without its last subtags") func ranges() throws {
        #expect(try #require(LanguageTag(rawValue: "zh-Hant-TW")).ranges == ["zh-hant-tw", "zh-hant", "zh"])
        #expect(LanguageTag.english.ranges == ["en"])
    }
}
