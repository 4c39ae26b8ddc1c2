import AuthorityStore
import FlowModel
import Localization
import Policies
import Testing

@testable import Flows

/// The sentences of refusals that are put together.
@Suite(.timeLimit(.minutes(1)))
struct RefusalTextsTests {
    private func expect(_ refusal: Refusal, _ english: String, _ german: String) {
        #expect(refusal.message == english)
        #expect(refusal.text.words(in: .german) == german)
    }

    @Test("a provider that a policy does not have is refused by those that it has") func providers() throws {
        func policy(_ providers: [String]) throws -> Policy {
            Policy(id: try PolicyID("b2c_1_a"), kind: .signIn, identityProviders: ["local"] + providers)
        }
        expect(
            Refusals.noSuchProvider(try policy([])),
            "b2c_1_a does not sign in with this provider; it has no provider",
            "die Richtlinie b2c_1_a meldet nicht mit diesem Anbieter an; sie hat keinen Anbieter"
        )
        expect(
            Refusals.noSuchProvider(try policy(["one", "two"])),
            "b2c_1_a does not sign in with this provider; it has one, two",
            "die Richtlinie b2c_1_a meldet nicht mit diesem Anbieter an; sie hat one, two"
        )
        expect(
            Refusals.noSuchProvider(among: []),
            "no policy signs in with this provider; there is none",
            "mit diesem Anbieter meldet keine Richtlinie an; es gibt keinen"
        )
        expect(
            Refusals.noSuchProvider(among: ["one", "two"]),
            "no policy signs in with this provider; there are: one, two",
            "mit diesem Anbieter meldet keine Richtlinie an; es gibt: one, two"
        )
    }

    @Test("the words of an external service, and of the problems of answers, stay as they are") func exact() {
        expect(Refusals.turnedAway("Closed on Sundays"), "Closed on Sundays", "Closed on Sundays")
        let problem = NodeProblem(name: "a", code: .missing, text: "Der Name fehlt.")
        expect(Refusals.invalidAnswer([problem]), "Der Name fehlt.", "Der Name fehlt.")
        expect(
            Refusals.invalidAnswer([]),
            "the answers are not what was asked for",
            "die Antworten passen nicht zu den Fragen"
        )
    }
}
