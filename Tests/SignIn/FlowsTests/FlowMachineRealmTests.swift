import FlowModel
import OAuth
import OpenIDClient
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

    private func rig(bringsToken: Bool = false) -> Rig {
        Rig(
            Samples.policy(.signUpOrSignIn, signInChecks: ["Corp"]),
            checks: Samples.checks + [Self.corp],
            bringsToken: bringsToken
        )
    }

    /// Returns a flow that creates an account for a provider's token, and so cannot prompt the user.
    private func promptless() -> Rig {
        let rig = rig(bringsToken: true)
        let identity = ProviderIdentity(provider: "p", issuer: "https://p.example", subject: "s", attributes: [:])
        rig.record.inHand.draft = Draft(identity)
        return rig
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

    @Test("a provider that rejects the user fails the flow as denied; before any prompt, the refusal says why")
    func rejected() throws {
        let early = rig()
        early.happen(.evaluated(.realm(.failure, Self.corp)))
        #expect(early.flow.state == .failed(.denied))
        #expect(early.refusal?.reason == .unmetAuthenticationRequirements)
        let late = rig()
        ask(late, nil)
        late.submit(["password": "x"])
        late.happen(.evaluated(.realm(.failure, Self.corp)))
        #expect(late.flow.state == .failed(.denied) && late.refusal == nil && late.verdict == .rejected)
    }

    @Test("while a provider is paused, the step stays open, and the refusal says when to try again") func paused() {
        let rig = rig()
        ask(rig, nil)
        rig.submit(["password": "x"], id: "s")
        let paused = Refusal(.providerUnavailable, Text("refusal.providerSilent", ["provider": "corp"]))
        rig.happen(.evaluated(.refused(paused.retrying(afterMs: 15_000))))
        #expect(rig.refusal?.retryAfterMs == 15_000 && rig.flow.state == .challenge)
        #expect(rig.step?.type == .external)
        // The answer was not evaluated, so the same submission can be sent again.
        rig.submit(["password": "x"], id: "s")
        #expect(rig.work != nil && rig.refusal == nil)
    }

    @Test(
        "a connector that cannot be called ends a flow without a prompt, and the reason tells whose failure it is",
        arguments: [
            (Refusal.Reason.providerUnavailable, FailureReason.providerFailed),
            (.providerProtocol, .providerFailed), (.limitExceeded, .providerFailed),
            (.storageFailed, .internal), (.shuttingDown, .internal),
            (.notPermitted, .denied), (.wrongUser, .wrongUser),
        ]
    )
    func unprompted(_ reason: Refusal.Reason, _ expected: FailureReason) {
        let rig = promptless()
        let refusal = Refusal(reason, Text("refusal.connectorSilent"))
        rig.happen(.evaluated(.connector(.beforeUserCreated, .failed(refusal))))
        #expect(rig.flow.state == .failed(expected) && rig.refusal == refusal)
        #expect(rig.transition.audit.map(\.kind) == [.flowFailed])
        #expect(rig.transition.audit.last?.detail["reason"] == expected.rawValue)
    }

    @Test("a connector that rejects the data of a flow without a prompt ends the flow as denied, with its own text")
    func rejectedData() {
        let rig = promptless()
        rig.happen(.evaluated(.connector(.beforeUserCreated, .answer(.invalid("Use your work account.")))))
        #expect(rig.flow.state == .failed(.denied))
        #expect(rig.refusal == Refusals.turnedAway("Use your work account."))
        #expect(rig.transition.audit.last?.detail["reason"] == FailureReason.denied.rawValue)
    }

    @Test("a new conversation does not reuse the id of the previous one") func anew() throws {
        let rig = rig()
        ask(rig, "s1")
        rig.happen(.doubted)
        #expect(rig.work == .realm(.startAuthorization, Self.corp))
        #expect(rig.record.inHand.conversation.challenge == nil)
    }
}
