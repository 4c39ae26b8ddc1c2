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

    @Test("every key has a sentence", arguments: TextKey.allCases) func sentences(_ key: TextKey) {
        #expect(PageTexts.keys.contains(key.rawValue))
    }

    @Test("the placeholders of a sentence are filled in once, whatever the values contain") func filled() {
        #expect(Self.english[.codeSent, ["address": "{outbox}"]] == "We sent a code to {outbox}.")
        #expect(Self.german[.codeSent, ["address": "a@b.c"]] == "Wir haben einen Code an a@b.c gesendet.")
        #expect(Self.english[.allow] == "Allow")
    }

    @Test("every built-in attribute has a label") func attributes() {
        for name in BuiltInAttribute.all.keys { #expect(Self.german.attribute(name) != nil, "\(name)") }
    }

    private func facts(_ origin: Origin = .local(machine: "m", uid: 1000), codeInSubject: Bool = true) -> MailFacts {
        MailFacts(app: "Nordlicht", origin: origin, time: TestClock().now, codeInSubject: codeInSubject)
    }

    private func codeMail(_ language: LanguageTag, _ facts: MailFacts) -> OutboxMail {
        Texts(for: [language]).mail(.code(to: "jo@example.org", code: Secret("012345")), facts)
    }

    @Test("the code is alone on a line of its mail in every language", arguments: [LanguageTag.english, .german])
    func mail(_ language: LanguageTag) {
        let body = codeMail(language, facts()).body.reveal()
        #expect(body.split(separator: "\n").filter { $0.contains("012345") } == ["012345"])
    }

    @Test(
        "the mail with a code names the product, and its subject contains the code unless that is switched off",
        arguments: [
            (.english, true, "012345 is your code for Nordlicht"), (.english, false, "Your code for Nordlicht"),
            (.german, true, "012345 ist Ihr Code für Nordlicht"), (.german, false, "Ihr Code für Nordlicht"),
        ] as [(LanguageTag, Bool, String)]
    )
    func subject(_ language: LanguageTag, _ codeInSubject: Bool, _ subject: String) {
        let mail = codeMail(language, facts(codeInSubject: codeInSubject))
        #expect(mail.subject == subject)
        #expect(mail.body.reveal().contains("Nordlicht"))
    }

    @Test(
        "the mail with a code says which origin requested it, and when in UTC",
        arguments: [
            (.english, .local(machine: "m", uid: 1000), "from a program on the machine that sent this e-mail"),
            (.english, .unknownLocal(machine: "m"), "from a program on the machine that sent this e-mail"),
            (.english, .address("192.0.2.7"), "from 192.0.2.7"),
            (.english, .address("32.1.13.184.0.0.0.1/64"), "from 2001:db8:0:1::/64"),
            (.english, .address("browser s1"), "from a browser"),
            (.german, .local(machine: "m", uid: 1000), "von einem Programm auf dem Rechner, der diese E-Mail"),
            (.german, .address("192.0.2.7"), "von 192.0.2.7"),
            (.german, .address("browser s1"), "von einem Browser"),
        ] as [(LanguageTag, Origin, String)]
    )
    func origin(_ language: LanguageTag, _ origin: Origin, _ words: String) {
        let body = codeMail(language, facts(origin)).body.reveal()
        #expect(body.contains(words), "\(body)")
        #expect(body.contains("2026-11-18 11:06:40 UTC"), "\(body)")
    }

    @Test("a policy's own subject without a code keeps the code out of the subject") func ownSubject() throws {
        let policy = Policy(
            id: try PolicyID("b2c_1_sign_up"),
            kind: .signUp,
            texts: ["en": ["mail.code.subject": "A code for you"]]
        )
        let mail = Texts(for: [.english], of: policy).mail(.code(to: "jo@example.org", code: Secret("012345")), facts())
        #expect(mail.subject == "A code for you")
    }

    @Test("a policy's own subject cannot return the code to a subject without it, and is at most as long as a mail's")
    func longSubject() throws {
        let key = "mail.code.subject.withoutCode"
        let policy = Policy(
            id: try PolicyID("b2c_1_sign_up"),
            kind: .signUp,
            texts: ["en": [key: "{code} " + String(repeating: "x", count: 300)]]
        )
        let mail = Texts(for: [.english], of: policy)
            .mail(.code(to: "jo@example.org", code: Secret("012345")), facts(codeInSubject: false))
        #expect(!mail.subject.contains("012345") && mail.subject.count == 200)
        #expect(!"\(mail)".contains("jo@example.org") && !String(reflecting: mail).contains("xxx"))
    }

    @Test(
        "the language is the first available one of the user and the policy, or else English",
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

    @Test("labels of the policy, messages and problems are in the user's language") func everything() throws {
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
        #expect(problems["email"] == "Geben Sie eine vollständige E-Mail-Adresse ein, etwa ada@example.org.")
        #expect(problems["displayName"] == "Anzeigename fehlt.")
        #expect(problems["extension_age"]?.hasSuffix("muss eine ganze Zahl sein.") == true)
        #expect(problems["password"] == "Neues Kennwort: mindestens 8 Zeichen sind nötig.")
        #expect(problems["more"] == "Unerwartetes Feld: more.")
    }

    @Test("a policy's own sentences and languages apply to terminals as well as to pages")
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

    @Test("a flow keeps its language across a restart, and without one it is shown in the policy's")
    func kept() async throws {
        let world = try World()
        let german = Presentation(language: LanguageTag(rawValue: "de"))
        let flow = try await world.start(.signIn, presentation: german).flow
        try world.reopen()
        #expect(try await world.flows.get(flow.id, owner: World.jo).step?.title == "Anmelden")
        #expect(Rig().step?.title == "Sign in")
    }

    @Test("the mail with a code is in the user's language") func mailed() async throws {
        let world = try World()
        let german = Presentation(language: LanguageTag(rawValue: "de"))
        let flow = try await world.start(.signUp, presentation: german).flow
        _ = try await world.submit(flow, Samples.attributes)
        let mail = try #require(try await world.mail())
        #expect(mail.subject.hasSuffix(" ist Ihr Code für Tasks"))
    }

    @Test("a code is in the subject of its mail, or only in the body if the configuration requires it")
    func codeInSubject() async throws {
        for isInSubject in [true, false] {
            let world = try World(codeInSubject: isInSubject)
            _ = try await world.submit(try await world.start(.signUp).flow, Samples.attributes)
            let mail = try #require(try await world.mail())
            let code = try #require(
                mail.body.reveal().split(separator: "\n").first { $0.count == 6 && Int($0) != nil }
            )
            #expect(mail.subject.contains(code) == isInSubject, "\(mail.subject)")
            #expect(mail.subject.contains("your code for Tasks") || mail.subject == "Your code for Tasks")
        }
    }

    @Test("a mail names the origin of the caller that requested it, not the origin where the flow began")
    func callersOrigin() async throws {
        let world = try World()
        let flow = try await world.start(.signUp).flow
        let step = try #require(flow.step)
        _ = try await world.flows.submit(
            FlowSubmission(flow: flow.id, step: step.id, submissionID: "s", answers: Samples.attributes),
            caller: Caller(owner: World.jo, origin: .address("203.0.113.9"))
        )
        let mail = try #require(try await world.mail())
        #expect(mail.body.reveal().contains("It was requested from 203.0.113.9 on "))
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
