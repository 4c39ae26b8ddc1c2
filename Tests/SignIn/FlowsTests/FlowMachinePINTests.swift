import AuthorityStore
import FlowModel
import Foundation
import Localization
import OAuth
import Policies
import TestSupport
import Testing

@testable import Flows

/// Tests the PIN steps with the flow machine alone.
@Suite(.timeLimit(.minutes(2)))
struct FlowMachinePINTests {
    private static let pin = Check(name: "PinCodeAttempts", type: .pin)
    private let old = Proof(check: "UserLogin", credential: .password, at: 5, acr: "1", amr: ["pwd"])

    /// Creates a flow that prompts a signed-in user for the PIN.
    private func stepUp(
        _ check: Check = pin,
        owner: Owner = .local(machine: "m", uid: 1000),
        presentation: Presentation? = nil
    ) -> Rig {
        Rig(
            Samples.policy(.signIn),
            checks: Samples.checks + [check],
            requirement: Requirement(checks: [check.name], user: .user(Samples.jo.user), session: "s-1"),
            person: Samples.jo,
            presentation: presentation,
            owner: owner,
            sessionProofs: [old]
        )
    }

    @Test("a user with a PIN is prompted for it alone, with the texts of the guide") func asked() {
        let rig = stepUp()
        #expect(rig.work == .find(Samples.jo.user, Self.pin))
        rig.happen(.evaluated(.enrolled(true)))
        #expect(rig.step?.type == .pin && rig.step?.check == "PinCodeAttempts")
        #expect(rig.step?.messages.map(\.text) == ["You need your PIN to access this data."])
        let node = rig.step?.nodes.first
        #expect(node?.name == "pin" && node?.kind == .secret && node?.pattern == "digits")
        #expect(node?.minLength == 4 && node?.maxLength == 12)
        rig.submit(["pin": "1234"])
        #expect(rig.work == .verify(Secret("1234"), Samples.jo.user, Self.pin))
        rig.happen(.evaluated(.wrong))
        #expect(rig.verdict == .rejected && rig.step?.messages.map(\.code) == ["pin.wrong"])
        rig.submit(["pin": "1235"])
        rig.happen(.evaluated(.right(nil)))
        #expect(rig.finish?.authentication.acr == "2" && rig.finish?.authentication.amr == ["pwd", "pin"])
        #expect(rig.finish?.pin == nil && rig.finish?.session == "s-1")
    }

    @Test("repeating a step-up adds nothing to the session") func repeated() {
        let check = Self.pin
        let before = Proof(check: check.name, credential: .pin, at: 6, acr: "2", amr: ["pin"])
        let rig = Rig(
            Samples.policy(.signIn),
            checks: Samples.checks + [check],
            requirement: Requirement(checks: [check.name], user: .user(Samples.jo.user), session: "s-1"),
            person: Samples.jo,
            sessionProofs: [old, before]
        )
        rig.happen(.evaluated(.enrolled(true)))
        rig.submit(["pin": "1234"])
        rig.happen(.evaluated(.right(nil)))
        let proofs = rig.finish?.authentication.proofs ?? []
        #expect(proofs.map(\.check) == ["UserLogin", "PinCodeAttempts"] && proofs.last != before)
    }

    @Test("a user without a PIN enters the password again and sets one in the same flow") func enrolment() {
        let rig = stepUp()
        rig.happen(.evaluated(.enrolled(false)))
        #expect(rig.step?.type == .password && rig.step?.nodes.first?.value == "jo@example.org")
        rig.passwordRight()
        #expect(rig.step?.type == .pinSetup && rig.step?.check == "PinCodeAttempts")
        #expect(rig.step?.nodes.first?.hint == "4 to 12 digits")
        rig.submit(["pin": "2468"])
        #expect(rig.work == .hash(Secret("2468")))
        rig.happen(.evaluated(.hashed(Data("$argon2id$".utf8))))
        #expect(rig.finish?.pin == Data("$argon2id$".utf8))
        #expect(rig.finish?.authentication.proofs.map(\.check) == ["UserLogin", "PinCodeAttempts"])
        #expect(rig.finish?.authentication.proofs.contains(old) == false)
        #expect(rig.record.inHand.secrets[.pin] == nil)
        #expect(rig.transition.audit.map(\.kind).contains(.credentialEnrolled))
    }

    @Test(
        "an answer that cannot be a PIN is not evaluated",
        arguments: [
            ("123", NodeProblem.Code.tooShort), ("1234567890123", .tooLong), ("12a4", .malformed), ("１２３４", .malformed),
        ]
    )
    func malformed(_ pin: String, _ code: NodeProblem.Code) {
        let rig = stepUp()
        rig.happen(.evaluated(.enrolled(true)))
        rig.submit(["pin": .string(pin)])
        #expect(rig.work == nil && rig.refusal?.reason == .invalidAnswer)
        #expect(rig.refusal?.nodes.map(\.code) == [code])
    }

    @Test("a new PIN must follow its rule, and an older PIN is accepted under the earlier one") func rule() {
        let check = Check(name: "P", type: .pin, pin: PINRule(minLength: 6, digitsOnly: false))
        let setup = stepUp(check)
        setup.happen(.evaluated(.enrolled(false)))
        setup.passwordRight()
        setup.submit(["pin": "12345"])
        #expect(setup.refusal?.nodes.map(\.code) == [.tooShort])
        setup.submit(["pin": "pass word"])
        #expect(setup.work != nil)
        let asked = stepUp(check)
        asked.happen(.evaluated(.enrolled(true)))
        #expect(asked.step?.nodes.first?.pattern == nil)
        asked.submit(["pin": "abcd"])
        #expect(asked.work != nil)
    }

    @Test("if no PIN may be set in a flow, the flow ends and names the command") func noEnrolment() {
        let rig = stepUp(Check(name: "P", type: .pin, pin: PINRule(allowsEnrolment: false)))
        rig.happen(.evaluated(.enrolled(false)))
        rig.passwordRight()
        #expect(rig.refusal?.reason == .unmetAuthenticationRequirements)
        #expect(rig.refusal?.message.contains("tokenbroker pin enrol") == true)
        #expect(rig.record.state == .failed(.denied))
    }

    @Test("a browser alone has no uid and gets no PIN prompt") func browser() {
        let rig = stepUp(owner: .browser(session: "b"))
        #expect(rig.refusal?.reason == .unmetAuthenticationRequirements && rig.work == nil)
    }

    @Test("a PIN that is part of the sign-in runs after the user is identified") func afterPassword() {
        let policy = Samples.policy(.signIn, signInChecks: ["PinCodeAttempts", "UserLogin"])
        let rig = Rig(policy, checks: [Self.pin] + Samples.checks)
        #expect(rig.step?.type == .password)
        rig.passwordRight()
        #expect(rig.work == .find(Samples.jo.user, Self.pin))
        rig.happen(.evaluated(.enrolled(true)))
        #expect(rig.step?.type == .pin)
    }

    /// Creates a flow in which a signed-in user changes a credential.
    private func changing(_ change: CredentialChange, checks: [String]) -> Rig {
        let check = Check(name: "PinCodeAttempts", type: .pin, pin: PINRule(allowsEnrolment: false))
        let user = RequiredUser.user(Samples.jo.user)
        return Rig(
            Samples.policy(.signIn),
            checks: Samples.checks + [check],
            requirement: Requirement(checks: checks, user: user, session: "s-1", change: change),
            person: Samples.jo,
            sessionProofs: [old]
        )
    }

    @Test("a new PIN replaces the existing one, after the password") func change() {
        let rig = changing(.enrol(check: "PinCodeAttempts"), checks: ["PinCodeAttempts"])
        #expect(rig.step?.type == .password)
        rig.passwordRight()
        rig.happen(.evaluated(.enrolled(true)))
        #expect(rig.step?.type == .pinSetup)
        rig.submit(["pin": "2468"])
        rig.happen(.evaluated(.hashed(Data("$argon2id$".utf8))))
        #expect(rig.finish?.pin != nil && rig.finish?.removed == nil)
    }

    @Test("a PIN is removed after the password, and no longer prompted for") func removal() {
        let rig = changing(.remove(.pin), checks: [])
        #expect(rig.step?.type == .password)
        rig.passwordRight()
        #expect(rig.finish?.removed == .pin && rig.finish?.pin == nil)
    }

    @Test("a PIN that was removed before it is compared is set again") func gone() {
        let rig = stepUp()
        rig.happen(.evaluated(.enrolled(true)))
        rig.submit(["pin": "1234"])
        rig.happen(.evaluated(.enrolled(false)))
        #expect(rig.verdict == .next && rig.step?.type == .password)
    }
}
