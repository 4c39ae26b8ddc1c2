import FlowModel
import Foundation
import Moments
import OAuth
import OpenIDClient
import Policies
import TestSupport
import Testing

@testable import Flows

@Suite(.timeLimit(.minutes(2)))
struct FlowMachineTimeTests {
    @Test("a flow expires 900 s after its start, to the millisecond, at any step") func flowEnds() {
        let rig = Rig()
        rig.clock.advance(by: .milliseconds(899_999))
        #expect(rig.flow.state == .challenge)
        rig.clock.advance(by: .milliseconds(1))
        #expect(rig.flow.state == .expired)
        #expect(rig.flow.step == nil)
        rig.submit(["username": "jo@example.org", "password": "x"], step: "st_x")
        #expect(rig.refusal?.reason == .flowFinished)
        #expect(rig.refusal?.facts[.state] == "expired")
        #expect(rig.record.phase.end?.keptUntil == rig.record.order.ends.later(by: .seconds(120)))
    }

    @Test("a password step expires after 120 s, then the flow continues with a new step and the old id is 1016")
    func stepEnds() {
        let rig = Rig()
        let old = rig.step?.id ?? ""
        rig.clock.advance(by: .milliseconds(119_999))
        #expect(rig.step?.id == old)
        rig.clock.advance(by: .milliseconds(1))
        #expect(rig.step?.id != old)
        #expect(rig.step?.type == .password)
        #expect(rig.step?.messages.map(\.code) == ["step.expired"])
        rig.submit(["username": "jo@example.org", "password": "x"], step: old)
        #expect(rig.refusal?.reason == .expiredStep)
        rig.submit(["username": "jo@example.org", "password": "x"])
        #expect(rig.work != nil)
    }

    @Test("a step that expired twice leaves two invalid ids and one open step") func stepEndsTwice() {
        let rig = Rig()
        let first = rig.step?.id
        rig.clock.advance(by: .seconds(120))
        let second = rig.step?.id
        rig.clock.advance(by: .seconds(120))
        let third = rig.step?.id
        #expect(Set([first, second, third]).count == 3)
        #expect(rig.flow.rev == 3)
    }

    @Test("a later reader sees the same step as an earlier one that wrote nothing") func lookingIsPure() {
        let rig = Rig()
        rig.clock.advance(by: .seconds(130))
        let seen = rig.flow
        rig.clock.advance(by: .seconds(7))
        #expect(rig.flow == seen)
        rig.happen(.timePassed)
        #expect(rig.flow == seen)
    }

    @Test("an attributes step expires after 300 s") func attributesEnd() {
        let rig = Rig(Samples.policy(.signUp))
        let old = rig.step?.id
        rig.clock.advance(by: .milliseconds(299_999))
        #expect(rig.step?.id == old)
        rig.clock.advance(by: .milliseconds(1))
        #expect(rig.step?.id != old)
    }

    @Test("a user may stay at a provider for 600 s, and then the step has expired")
    func atProvider() {
        let rig = Rig(
            Samples.policy(.signIn),
            requirement: Requirement(user: .user(Samples.jo.user), change: .link(provider: "partner")),
            presentation: Presentation().inBrowser
        )
        rig.passwordRight()
        let old = rig.step?.id ?? ""
        let left = rig.plan.providerRequest?.state ?? ""
        #expect(rig.step?.type == .provider)
        #expect(rig.flow.stepExpiresAt == rig.clock.now.wall + 600_000)
        rig.clock.advance(by: .milliseconds(599_999))
        #expect(rig.step?.id == old)
        var late = rig.record
        rig.submit(["state": .string(left), "code": "c"], step: old)
        guard case .identity("partner", _, _)? = rig.work else {
            Issue.record("the answer is not redeemed: \(rig.transition)")
            return
        }
        rig.clock.advance(by: .milliseconds(1))
        swap(&rig.record, &late)
        rig.submit(["state": .string(left), "code": "c"], step: old)
        #expect(rig.refusal?.reason == .expiredStep && rig.work == nil)
        #expect(rig.step?.type == .provider && rig.step?.id != old)
    }

    @Test("a code expires after 600 s, then a new step offers to send another one") func codeEnds() {
        let rig = Rig(Samples.policy(.signUp))
        rig.signUp()
        #expect(rig.step?.type == .code)
        #expect(rig.flow.stepExpiresAt == rig.clock.now.wall + 600_000)
        rig.clock.advance(by: .milliseconds(599_999))
        #expect(rig.record.inHand.code?.mac != nil)
        #expect(rig.step?.messages.map(\.code) == ["code.sent"])
        rig.clock.advance(by: .milliseconds(1))
        #expect(rig.step?.messages.map(\.code) == ["code.expired"])
        rig.happen(.timePassed)
        #expect(rig.record.inHand.code != nil)
        #expect(rig.record.inHand.code?.mac == nil)
        rig.act("resend")
        #expect(rig.recipient == .newAddress("jo@example.org"))
    }

    @Test("setting the wall clock forward ends flows and steps") func wallForward() {
        let rig = Rig()
        rig.clock.setWall(by: .seconds(3600))
        #expect(rig.flow.state == .expired)
    }

    @Test("setting the wall clock back extends nothing") func wallBack() {
        let rig = Rig()
        let old = rig.step?.id
        rig.clock.setWall(by: .seconds(-3600))
        #expect(rig.step?.id == old)
        rig.clock.advance(by: .seconds(120))
        #expect(rig.step?.id != old)
        rig.clock.advance(by: .seconds(780))
        #expect(rig.flow.state == .expired)
    }

    @Test("setting the wall clock forward allows no earlier resend") func resendEarly() {
        let rig = Rig(Samples.policy(.signUp))
        rig.signUp()
        rig.clock.setWall(by: .seconds(60))
        rig.act("resend")
        #expect(rig.refusal?.reason == .limitExceeded)
        #expect(rig.refusal?.retryAfterMs == 30_000)
    }

    @Test("after a reboot the flow continues by the wall clock") func reboot() {
        let rig = Rig()
        let old = rig.step?.id
        rig.clock.reboot(after: .seconds(60))
        #expect(rig.step?.id == old)
        rig.clock.advance(by: .seconds(60))
        #expect(rig.step?.id != old)
    }

    @Test("an evaluation that does not finish within 20 s is abandoned, and another answer is accepted") func givenUp()
    {
        let rig = Rig()
        let old = rig.step?.id ?? ""
        rig.submit(["username": "jo@example.org", "password": "x"], id: "a")
        #expect(rig.flow.state == .pending)
        #expect(rig.flow.step == nil)
        rig.clock.advance(by: .milliseconds(19_999))
        #expect(rig.flow.state == .pending)
        rig.clock.advance(by: .milliseconds(1))
        #expect(rig.flow.state == .challenge)
        #expect(rig.step?.messages.map(\.code) == ["evaluation.interrupted"])
        rig.submit(["username": "jo@example.org", "password": "x"], step: old, id: "b")
        #expect(rig.refusal?.reason == .staleStep)
        rig.submit(["username": "jo@example.org", "password": "x"], step: old, id: "a")
        #expect(rig.verdict == .rejected)
        #expect(rig.work == nil)
    }

    @Test("an evaluation of an earlier process is abandoned at once") func restarted() {
        let rig = Rig()
        rig.submit(["username": "jo@example.org", "password": "x"])
        let later = FlowMachine(
            policy: rig.machine.policy,
            catalogue: rig.machine.catalogue,
            runner: "run-2",
            today: rig.machine.today
        )
        let after = later.reduce(rig.record, .timePassed, now: rig.clock.now).record
        #expect(later.view(after).flow().step?.messages.map(\.code) == ["evaluation.interrupted"])
    }

    @Test("an evaluation of another running process is awaited, but no longer than one of this process")
    func elsewhere() {
        let rig = Rig()
        rig.submit(["username": "jo@example.org", "password": "x"])
        var other = FlowMachine(
            policy: rig.machine.policy,
            catalogue: rig.machine.catalogue,
            runner: "run-2",
            today: rig.machine.today
        )
        other.isLive = { $0 == "run-1" }
        #expect(other.view(other.reduce(rig.record, .timePassed, now: rig.clock.now).record).flow().state == .pending)
        rig.clock.advance(by: .seconds(20))
        let after = other.reduce(rig.record, .timePassed, now: rig.clock.now).record
        #expect(other.view(after).flow().step?.messages.map(\.code) == ["evaluation.interrupted"])
    }

    @Test("a sign-up whose evaluation was abandoned prompts for everything again") func signUpGivenUp() {
        let rig = Rig(Samples.policy(.signUp))
        rig.submit(Samples.attributes)
        rig.clock.advance(by: .seconds(20))
        #expect(rig.step?.type == .attributes)
        #expect(rig.step?.nodes.first { $0.name == "email" }?.value == "jo@example.org")
        rig.happen(.timePassed)
        #expect(rig.record.inHand.draft == nil)
    }

    @Test("a new flow whose end is never stored fails when its process ends, or when it expires")
    func neverWritten() {
        let rig = Rig()
        let claimed = rig.machine.claimed(rig.record, now: rig.clock.now)
        func state(_ machine: FlowMachine) -> FlowState {
            machine.reduce(claimed, .timePassed, now: rig.clock.now).record.state
        }
        let other = FlowMachine(
            policy: rig.machine.policy,
            catalogue: rig.machine.catalogue,
            runner: "run-2",
            today: rig.machine.today
        )
        #expect(state(rig.machine) == .pending)
        #expect(state(other) == .failed(.internal))
        rig.clock.advance(by: .seconds(20))
        #expect(state(rig.machine) == .failed(.internal))
    }

    @Test("an evaluation that returns after the flow has ended changes nothing") func tooLate() {
        let rig = Rig()
        rig.clock.advance(by: .seconds(890))
        rig.submit(["username": "jo@example.org", "password": "x"])
        rig.clock.advance(by: .seconds(10))
        rig.happen(.evaluated(.right(Samples.jo, names: [])))
        #expect(rig.flow.state == .expired)
        #expect(rig.finish == nil)
        #expect(rig.refusal?.reason == .flowFinished)
    }

    /// Returns the authentication time that a flow stores for a provider, in milliseconds relative to now.
    ///
    /// The provider states the time that is `said` seconds from now, or no time if `said` is `nil`.
    private func proved(secondsAfterNow said: Int64?) throws -> Int64? {
        let rig = Rig(
            Policy(
                id: try PolicyID("b2c_1_partner"),
                kind: .social,
                identityProviders: ["partner"],
                checks: Dictionary(uniqueKeysWithValues: Samples.checks.map { ($0.name, $0) })
            ),
            presentation: Presentation().inBrowser
        )
        rig.record.known.provider = "partner"
        rig.submit(["state": .string(rig.plan.providerRequest?.state ?? ""), "code": "c"])
        let now = rig.clock.now
        var identity = ProviderIdentity(
            provider: "partner",
            issuer: "https://partner.example",
            subject: "1",
            attributes: [:]
        )
        identity.authTime = said.map { now.seconds + $0 }
        rig.happen(.evaluated(.identified(identity, Samples.jo, names: [])))
        let proof = try #require(rig.finish?.authentication.proofs.first)
        #expect(proof.at == now.wall)
        return proof.provedAt.map { $0 - now.wall }
    }

    @Test("a provider's authentication has the time that the provider states, or none, and never one in the future")
    func providerProof() throws {
        #expect(try proved(secondsAfterNow: -3600) == -3_600_000)
        #expect(try proved(secondsAfterNow: 3600) == 0)
        #expect(try proved(secondsAfterNow: nil) == nil)
    }
}
