import FlowModel
import Foundation
import TestSupport
import Testing

@testable import Localization

@Suite(.timeLimit(.minutes(1))) struct CatalogTests {
    private func read(_ json: String) -> [String: String] {
        Array(json.utf8).withUnsafeBufferPointer { Catalog.read($0) }
    }

    @Test("a catalog file is parsed as Foundation parses it", arguments: [LanguageTag.english, .german])
    func files(_ language: LanguageTag) throws {
        let path = "Sources/Foundations/Localization/Texts/\(language.rawValue).json"
        let data = try Data(contentsOf: ProjectFolder.url.appendingPathComponent(path))
        let sentences = try JSONDecoder().decode([String: String].self, from: data)
        #expect(sentences.count > 1000)
        #expect(Catalog.of(language)?.sentences == sentences)
    }

    @Test("escapes are decoded, and a truncated file is read to its end") func escapes() {
        #expect(read(#"{"a": "b\nc \"d\" \\", "e": "ü"}"#) == ["a": "b\nc \"d\" \\", "e": "ü"])
        for text in ["", "{", #"{"a"#, #"{"a": "b\"#, #"{"a": "#] { #expect(read(text).count <= 1) }
    }

    @Test("a region uses the catalog of its language, and a language without a catalog returns nil") func languages() {
        #expect(LanguageTag(rawValue: "de-AT").flatMap(Catalog.of)?.language == .german)
        #expect(LanguageTag(rawValue: "fr").flatMap(Catalog.of) == nil)
        #expect(LanguageTag(rawValue: "fr").map(Text("cli.terminal.cancelled").words) == "cancelled")
    }

    @Test("a sentence has a singular form if the language defines one") func count() {
        func words(_ count: Int, _ language: LanguageTag) -> String {
            Text("cli.terminal.tokens", ["count": count]).words(in: language)
        }
        #expect(words(1, .english) == "1 token" && words(2, .english) == "2 tokens")
        #expect(words(1, .german) == "Token: 1" && words(2, .german) == "Token: 2")
    }

    @Test("words, numbers, lists and nested sentences are filled in once, in one language")
    func values() {
        let text = Text(
            "cli.doctor.keyIsMissing",
            ["name": Text("cli.terminal.optional"), "places": Text.or(["{name}", 7, "c"])]
        )
        #expect(text.english == "(optional) was not found at {name} or 7 or c.")
        #expect(text.words(in: .german) == "(freiwillig) liegt nicht unter {name} oder 7 oder c.")
        #expect(Text(exactly: "a {b}").words(in: .german) == "a {b}")
        #expect(Text(exactly: "a").exactWords == "a" && text.exactWords == nil)
        #expect(Text.list([Text(exactly: "a"), text], .semicolon).english == "a; \(text.english)")
        #expect(Text("cli.terminal.retry", [:]).english == "Try again in  s.")
        #expect(Text(key: "no.such", parameters: [:]).english == "no.such")
    }

    @Test(
        "a sentence is in the catalog if its key, its nested sentences and all values exist",
        arguments: [
            (Text("cli.terminal.retry", ["seconds": 1]), true), (Text("cli.terminal.retry"), false),
            (Text("cli.terminal.retry", ["seconds": 1, "newer": "x"]), true), (Text("no.such"), false),
            (Text("cli.terminal.retry", ["seconds": Text("no.such")]), false),
            (Text("cli.terminal.retry", ["seconds": Text.or([Text.and([Text("no.such")])])]), false),
            (Text("cli.terminal.retry", ["seconds": Text.or([Text("cli.terminal.optional")])]), true),
            (Text(exactly: "x"), true),
        ]
    )
    func known(_ text: Text, _ isKnown: Bool) {
        #expect(text.isInCatalog == isKnown)
    }
}
