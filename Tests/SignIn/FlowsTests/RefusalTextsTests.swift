import AuthorityStore
import FlowModel
import Localization
import Policies
import Testing

@testable import Flows

/// Tests the messages of refusals that are composed of parts.
@Suite(.timeLimit(.minutes(1)))
struct RefusalTextsTests {
    private func expect(_ refusal: Refusal, _ english: String, _ german: String) {
        #expect(refusal.message == english)
        #expect(refusal.text.words(in: .german) == german)
    }

    @Test("a provider that the policy does not use is refused with the list of those it uses") func providers() throws {
        func policy(_ providers: [String]) throws -> Policy {
            Policy(id: try PolicyID("b2c_1_a"), kind: .signIn, identityProviders: ["local"] + providers)
        }
        expect(
            Refusals.noSuchProvider(try policy([])),
            "The policy b2c_1_a does not offer this provider. It offers no provider.",
            "Die Richtlinie b2c_1_a bietet diesen Anbieter nicht an. Sie bietet keinen Anbieter."
        )
        expect(
            Refusals.noSuchProvider(try policy(["one", "two"])),
            "The policy b2c_1_a does not offer this provider. It offers one, two.",
            "Die Richtlinie b2c_1_a bietet diesen Anbieter nicht an. Sie bietet one, two."
        )
        expect(
            Refusals.noSuchProvider(among: []),
            "No policy offers this provider, because no provider is configured.",
            "Keine Richtlinie bietet diesen Anbieter an, und es ist kein Anbieter konfiguriert."
        )
        expect(
            Refusals.noSuchProvider(among: ["one", "two"]),
            "No policy offers this provider. Choose one of one, two.",
            "Keine Richtlinie bietet diesen Anbieter an. Möglich sind one, two."
        )
    }

    @Test("messages of external services and descriptions of problems are passed on unchanged") func exact() {
        expect(Refusals.turnedAway("Closed on Sundays"), "Closed on Sundays", "Closed on Sundays")
        let problem = NodeProblem(name: "a", code: .missing, text: "Der Name fehlt.")
        expect(Refusals.invalidAnswer([problem]), "Der Name fehlt.", "Der Name fehlt.")
        expect(
            Refusals.invalidAnswer([]),
            "Some answers are not valid. Correct them and try again.",
            "Einige Antworten sind ungültig. Korrigieren Sie sie und versuchen Sie es noch einmal."
        )
    }
}
