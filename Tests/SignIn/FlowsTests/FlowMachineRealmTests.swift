import FlowModel
import OAuth
import Policies
import TestSupport
import Testing

@testable import CustomIdentity
@testable import Flows

/// Tests the `stateId` with which a custom identity provider identifies a conversation.
@Suite(.timeLimit(.minutes(1)))
struct FlowMachineRealmTests {
    private static let corp = Check(
        name: "Corp",
        type: .customIdentityProvider,
        realm: CustomRealm(name: "corp", url: "http://127.0.0.1:1", tenant: "app")
    )

    private func rig() -> Rig {
        Rig(Samples.policy(.signUpOrSignIn, signInChecks: ["Corp"]), checks: Samples.checks + [Self.corp])
    }

    private func ask(_ rig: Rig, _ stateID: String?) {
        let challenge = RealmChallenge(stateID: stateID, data: ["fields": ["password"]])
        rig.happen(.evaluated(.realm(.challenge(challenge), Self.corp)))
    }

    /// Submits an answer to the step, and returns the conversation id that is sent to the provider with the answer.
    private func answer(_ rig: Rig) throws -> String? {
        rig.submit(["password": "x"])
        guard case .realm(.handleChallengeAnswer(_, let stateID), _) = rig.work else {
            Issue.record("no answer goes to the provider: \(rig.transition)")
            return nil
        }
        return stateID
    }

    @Test("the id is sent back with every answer, until the provider changes it") func echoed() throws {
        let rig = rig()
        ask(rig, nil)
        #expect(try answer(rig) == nil)
        for (said, expected) in [("s1", "s1"), (nil, "s1"), (nil, "s1"), ("s2", "s2"), (nil, "s2")] {
            ask(rig, said)
            #expect(try answer(rig) == expected)
        }
    }

    @Test("a new conversation does not reuse the id of the previous one") func anew() throws {
        let rig = rig()
        ask(rig, "s1")
        rig.happen(.doubted)
        #expect(rig.work == .realm(.startAuthorization, Self.corp))
        #expect(rig.record.inHand.conversation.challenge == nil)
    }
}
