import AuthorityStore
import FlowModel
import Foundation
import OAuth
import TestSupport
import Testing

@testable import Flows
@testable import Policies

@Suite(.timeLimit(.minutes(1)))
struct TextsTests {
    @Test("every sentence has the same parts to fill in in every language", arguments: TextKey.allCases)
    func placeholders(_ key: TextKey) {
        #expect(!key.english.isEmpty && !key.german.isEmpty)
        #expect(parts(key.english) == parts(key.german), "\(key.rawValue)")
    }

    private func parts(_ text: String) -> [String] { text.matches(of: /\{(\w+)\}/).map { String($0.1) }.sorted() }

    @Test("the parts of a sentence are filled in once, whatever stands in the values") func filled() {
        #expect(Texts.english[.codeSent, ["hint": "{outbox}"]] == "A code was sent to {outbox}.")
        #expect(Texts.german[.tooLong, ["most": "9"]] == "Es sind höchstens 9 Zeichen möglich.")
        #expect(Texts.english[.allow] == "Allow")
    }

    @Test("every built-in attribute has a label") func attributes() {
        for name in BuiltInAttribute.all.keys { #expect(TextKey(attribute: name) != nil, "\(name)") }
    }

    @Test("the code stands alone on a line of its mail in every language", arguments: Texts.allCases)
    func mail(_ texts: Texts) {
        let mail = texts.mail(.code(to: "jo@example.org", code: Secret("012345")))
        #expect(mail.body.reveal().split(separator: "\n").contains("012345"))
    }

    @Test(
        "the language is the first of the person's and the policy's that there is, else English",
        arguments: [
            (nil, "en", Texts.english), ("de", "en", .german), ("de-AT", "en", .german), ("DE", "en", .german),
            ("fr", "de", .german), ("fr", "it", .english), (nil, "de", .german), ("en-GB", "de", .english),
        ] as [(String?, String, Texts)]
    )
    func chosen(_ person: String?, _ policy: String, texts: Texts) throws {
        let rig = try rig(person, policy: policy)
        #expect(rig.step?.title == texts[.signInTitle])
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
        #expect(step.nodes.first { $0.name == "password" }?.hint?.hasPrefix("Ein Kennwort hat 8 bis 64") == true)
        rig.submit(["email": "jo", "displayName": "", "extension_age": "x", "password": "short", "more": 1])
        let problems = Dictionary((rig.refusal?.nodes ?? []).map { ($0.name, $0.text) }) { first, _ in first }
        #expect(problems["email"] == "Das ist keine E-Mail-Adresse wie zum Beispiel ann@example.org.")
        #expect(problems["displayName"] == "Hier fehlt eine Antwort.")
        #expect(problems["extension_age"] == "Das muss eine ganze Zahl sein.")
        #expect(problems["password"] == "Ein Kennwort braucht mindestens 8 Zeichen.")
        #expect(problems["more"] == "Danach wurde nicht gefragt.")
    }

    @Test("a flow keeps its language over a restart, and a row from before languages is shown in the policy's")
    func kept() async throws {
        let world = try World()
        let german = Presentation(language: LanguageTag(rawValue: "de"))
        let flow = try await world.start(.signIn, presentation: german).flow
        try world.reopen()
        #expect(try await world.flows.get(flow.id, owner: World.jo).step?.title == "Anmelden")

        let stored = try JSONEncoder().encode(Rig(presentation: german).state)
        var object = try #require(try JSONSerialization.jsonObject(with: stored) as? [String: Any])
        try #require(object.removeValue(forKey: "presentation") != nil)
        let old = try JSONDecoder().decode(FlowRunState.self, from: JSONSerialization.data(withJSONObject: object))
        #expect(Rig().machine.context(old).view().step?.title == "Sign in")
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
