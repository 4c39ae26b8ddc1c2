import AuthorityStore
import FlowModel
import Foundation
import Localization
import OAuth
import TestSupport
import Testing

@testable import Flows
@testable import Policies

@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct TextsTests {
    private static let english = Texts(for: [.english])
    private static let german = Texts(for: [.german])

    @Test("there is a sentence for every key", arguments: TextKey.allCases) func sentences(_ key: TextKey) {
        #expect(PageTexts.keys.contains(key.rawValue))
    }

    @Test("the parts of a sentence are filled in once, whatever stands in the values") func filled() {
        #expect(Self.english[.codeSent, ["address": "{outbox}"]] == "We sent a code to {outbox}.")
        #expect(Self.german[.codeSent, ["address": "a@b.c"]] == "Wir haben einen Code an a@b.c gesendet.")
        #expect(Self.english[.allow] == "Allow")
    }

    @Test("every built-in attribute has a label") func attributes() {
        for name in BuiltInAttribute.all.keys { #expect(Self.german.attribute(name) != nil, "\(name)") }
    }

    @Test("the code stands alone on a line of its mail in every language", arguments: [LanguageTag.english, .german])
    func mail(_ language: LanguageTag) {
        let texts = Texts(for: [language])
        let mail = texts.mail(.code(to: "jo@example.org", code: Secret("012345")))
        #expect(mail.body.reveal().split(separator: "\n").contains("012345"))
    }

    @Test(
        "the language is the first of the person's and the policy's that there is, else English",
        arguments: [
            (nil, "en", LanguageTag.english), ("de", "en", .german), ("de-AT", "en", .german), ("DE", "en", .german),
            ("fr", "de", .german), ("fr", "it", .english), (nil, "de", .german), ("en-GB", "de", .english),
        ] as [(String?, String, LanguageTag)]
    )
    func chosen(_ person: String?, _ policy: String, _ language: LanguageTag) throws {
        let rig = try rig(person, policy: policy)
        let texts = Texts(for: [language])
        #expect(rig.step?.title == texts[.passwordTitle])
        #expect(rig.step?.nodes.map(\.label) == [texts[.email], texts[.password]])
    }

    @Test("labels of the policy, messages and problems are in the person's language") func everything() throws {
        let rig = try rig("de-AT")
        rig.submit(["username": "jo@example.org", "password": "wrong"])
        rig.happen(.evaluated(.wrong))
        #expect(rig.step?.messages.map(\.text) == ["Der Name oder das Kennwort stimmt nicht."])
        rig.act("create")
        let step = try #require(rig.step)
        #expect(step.title == "Konto anlegen")
        #expect(step.nodes.first { $0.name == "extension_team" }?.label == "Mannschaft")
        #expect(step.nodes.first { $0.name == "city" }?.label == "Ort")
        #expect(step.nodes.first { $0.name == "password" }?.hint?.hasPrefix("8 bis 64 Zeichen") == true)
        rig.submit(["email": "jo", "displayName": "", "extension_age": "x", "password": "short", "more": 1])
        let problems = Dictionary((rig.refusal?.nodes ?? []).map { ($0.name, $0.text) }) { first, _ in first }
        #expect(problems["email"] == "Geben Sie die ganze Adresse ein, etwa ada@example.org.")
        #expect(problems["displayName"] == "Anzeigename fehlt.")
        #expect(problems["extension_age"]?.hasSuffix("muss eine ganze Zahl sein.") == true)
        #expect(problems["password"] == "Neues Kennwort: mindestens 8 Zeichen sind nötig.")
        #expect(problems["more"] == "Nach more wurde nicht gefragt.")
    }

    @Test("a policy's own sentences, and its own languages, are those of terminals as well as of pages")
    func overrides()
        throws
    {
        let policy = Policy(
            id: try PolicyID("b2c_1_sign_in"),
            kind: .signIn,
            texts: ["fr": ["step.password.title": "Connexion", "node.password": "Mot de passe"]]
        )
        let rig = Rig(policy, presentation: Presentation(language: LanguageTag(rawValue: "fr-CA")))
        #expect(rig.step?.title == "Connexion")
        #expect(rig.step?.nodes.map(\.label) == ["E-mail address", "Mot de passe"])
    }

    @Test("a flow keeps its language over a restart, and one of no language is shown in the policy's")
    func kept() async throws {
        let world = try World()
        let german = Presentation(language: LanguageTag(rawValue: "de"))
        let flow = try await world.start(.signIn, presentation: german).flow
        try world.reopen()
        #expect(try await world.flows.get(flow.id, owner: World.jo).step?.title == "Anmelden")
        #expect(Rig().step?.title == "Sign in")
    }

    @Test("the mail of a code is in the person's language") func mailed() async throws {
        let world = try World()
        let german = Presentation(language: LanguageTag(rawValue: "de"))
        let flow = try await world.start(.signUp, presentation: german).flow
        _ = try await world.submit(flow, Samples.attributes)
        #expect(try await world.mail()?.subject == "Ihr Code")
    }

    private func rig(_ person: String?, policy: String = "en") throws -> Rig {
        let rules = Samples.attributeRules.map { rule in
            rule.name == "extension_team"
                ? AttributeRule(name: rule.name, label: ["en": "Team", "de": "Mannschaft"]) : rule
        }
        let policy = Policy(
            id: try PolicyID("b2c_1_sign_up_or_in"),
            kind: .signUpOrSignIn,
            attributes: rules,
            language: try #require(LanguageTag(rawValue: policy))
        )
        return Rig(policy, presentation: Presentation(language: person.flatMap { LanguageTag(rawValue: $0) }))
    }
}
