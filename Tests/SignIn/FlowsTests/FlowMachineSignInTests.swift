import Attempts
import AuthorityStore
import FlowModel
import Foundation
import Moments
import OAuth
import Policies
import TestSupport
import Testing

@testable import Flows

@Suite(.timeLimit(.minutes(2)))
struct FlowMachineSignInTests {
    @Test("the first step prompts for a name and a password, and counts no attempts yet") func firstStep() throws {
        let rig = Rig()
        let step = try #require(rig.step)
        #expect(step.type == .password)
        #expect(step.check == "UserLogin")
        #expect(step.id.hasPrefix("st_") && step.id.count == 25)
        #expect(step.nodes.map(\.name) == ["username", "password"])
        #expect(step.nodes.map(\.kind) == [.text, .secret])
        #expect(rig.view.budget?.check.name == "UserLogin")
        #expect(rig.view.budget?.holder == nil)
        #expect(step.actions.map(\.name) == [.cancel, .create])
        #expect(rig.flow.rev == 1)
    }

    @Test("a wrong password leads to a new step, with the same message for all reasons") func wrong()
        throws
    {
        let rig = Rig()
        let old = rig.step?.id
        rig.submit(["username": "jo@example.org", "password": "wrong"])
        rig.happen(.evaluated(.wrong))
        #expect(rig.verdict == .rejected)
        let step = try #require(rig.step)
        #expect(step.id != old)
        #expect(rig.view.budget?.holder == .signInName("jo@example.org"))
        #expect(step.messages.map(\.code) == ["credentials.wrong"])
        #expect(step.nodes[0].value == "jo@example.org")
        #expect(step.nodes[1].value == nil)
        #expect(rig.flow.stepExpiresAt == rig.clock.now.wall + 120_000)
    }

    @Test("the wrong answer that exhausts the budget fails the flow as blocked") func exhausted() {
        let rig = Rig()
        rig.submit(["username": "jo@example.org", "password": "wrong"])
        rig.happen(.evaluated(.exhausted(retryAfterMs: 10_000)))
        #expect(rig.verdict == .rejected)
        #expect(rig.flow.state == .failed(.blocked))
        #expect(rig.flow.retryAfterMs == 10_000)
        #expect(rig.flow.step == nil)
    }

    @Test("a right password ends the flow with a passed check and a session") func right() throws {
        let rig = Rig()
        rig.passwordRight()
        #expect(rig.verdict == .accepted)
        #expect(rig.flow.state == .succeeded)
        let finish = try #require(rig.finish)
        #expect(finish.user == Samples.jo.user)
        #expect(finish.newUser == nil)
        #expect(!finish.authentication.isNewUser)
        #expect(finish.session?.count == 22)
        let proof = Proof(check: "UserLogin", credential: .password, at: rig.clock.now.wall, acr: "1", amr: ["pwd"])
        #expect(finish.authentication.proofs == [proof])
        #expect(rig.record.outcome?.username == "jo@example.org")
    }

    @Test("a policy without persistent sessions creates none") func noSession() {
        let rig = Rig(Samples.policy(.signIn, session: SessionRule(scope: .none)))
        rig.passwordRight()
        #expect(rig.finish?.session == nil)
    }

    @Test("an additional required check comes next, with a code to the user's address") func secondCheck() throws {
        let rig = Rig(Samples.policy(.signIn), requirement: Requirement(checks: ["EmailCode"]))
        rig.passwordRight()
        #expect(rig.recipient == .person(Samples.jo, check: "EmailCode"))
        rig.happen(.evaluated(.codeMade(Samples.code(.person(Samples.jo, check: "EmailCode")))))
        #expect(rig.verdict == .next)
        #expect(rig.step?.type == .code)
        #expect(rig.step?.data?["hint"] == "j•••@example.org")
        #expect(rig.step?.messages.map(\.text) == ["We sent a code to j•••@example.org."])
        #expect(rig.step?.actions.map(\.name) == [.cancel, .resend])
        rig.submit(["code": "123456"])
        rig.happen(.evaluated(.right(nil)))
        #expect(rig.verdict == .accepted)
        #expect(rig.finish?.authentication.amr == ["pwd", "otp"])
        #expect(rig.finish?.authentication.acr == "2")
    }

    @Test("two checks of one password prompt once, and both are passed") func sharedCredential() {
        let checks = Samples.checks + [Check(name: "StepUp", type: .password, acr: "3")]
        let rig = Rig(Samples.policy(.signIn), checks: checks, requirement: Requirement(checks: ["StepUp"]))
        rig.passwordRight()
        #expect(rig.finish?.authentication.proofs.map(\.check).sorted() == ["StepUp", "UserLogin"])
    }

    @Test("a policy that signs in by code prompts for the name alone, and known and unknown names look the same")
    func byCode()
        throws
    {
        for isKnown in [true, false] {
            let rig = Rig(Samples.policy(.signIn, signInChecks: ["EmailCode"]))
            #expect(rig.step?.type == .identifier)
            #expect(rig.step?.nodes.map(\.name) == ["username"])
            rig.submit(["username": "jo@example.org"])
            #expect(rig.recipient == .name("jo@example.org", check: "EmailCode", forPassword: false))
            var made = Samples.code(.name("jo@example.org", check: "EmailCode", forPassword: false))
            if isKnown {
                made = MadeCode(
                    address: "jo@example.org",
                    subject: .user(Samples.jo.user),
                    purpose: .check("EmailCode"),
                    person: Samples.jo,
                    mac: made.mac,
                    context: made.context,
                    mail: made.mail
                )
            }
            rig.happen(.evaluated(.codeMade(made)))
            let step = try #require(rig.step)
            #expect(step.type == .code)
            #expect(step.data?["hint"] == "j•••@example.org")
            #expect(rig.view.budget?.holder == .subject(made.subject))
            #expect(step.actions.map(\.name) == [.cancel, .resend, .back])
            rig.submit(["code": "123456"])
            guard isKnown else { continue }
            rig.happen(.evaluated(.right(nil)))
            #expect(rig.finish?.user == Samples.jo.user)
            #expect(rig.finish?.authentication.amr == ["otp"])
        }
    }

    @Test("an authentication states whether the flow reset a forgotten password") func forgotten() {
        let signedIn = Rig(Samples.policy(.signIn))
        signedIn.passwordRight()
        #expect(signedIn.finish != nil && signedIn.finish?.authentication.isForgotPassword == nil)
        let rig = Rig(Samples.policy(.passwordReset, signInChecks: ["EmailCode"]))
        rig.submit(["username": "jo@example.org"])
        let made = Samples.code(.name("jo@example.org", check: "EmailCode", forPassword: true))
        let sent = MadeCode(
            address: "jo@example.org",
            subject: .user(Samples.jo.user),
            purpose: .check("EmailCode"),
            person: Samples.jo,
            mac: made.mac,
            context: made.context,
            mail: made.mail
        )
        rig.happen(.evaluated(.codeMade(sent)))
        rig.submit(["code": "123456"])
        rig.happen(.evaluated(.right(nil)))
        rig.submit(["newPassword": "Another456"])
        rig.happen(.evaluated(.hashed(Data("$argon2id$".utf8))))
        let authentication = rig.finish?.authentication
        #expect(authentication?.isForgotPassword == true)
        #expect(authentication.flatMap { Authentication(json: $0.json) } == authentication)
        #expect(authentication?.with(proofs: []).isForgotPassword == true)
    }

    @Test("going back from the code prompts for the name again, prefilled") func backToName() {
        let rig = Rig(Samples.policy(.signIn, signInChecks: ["EmailCode"]))
        rig.submit(["username": "jo@example.org"])
        rig.happen(.evaluated(.codeMade(Samples.code(.name("jo@example.org", check: "EmailCode", forPassword: false)))))
        rig.act("back")
        #expect(rig.step?.type == .identifier)
        #expect(rig.step?.nodes.first?.value == "jo@example.org")
        rig.submit(["username": "jo@example.org"])
        #expect(rig.refusal?.reason == .limitExceeded)
        rig.submit(["username": "ann@example.org"])
        #expect(rig.recipient == .name("ann@example.org", check: "EmailCode", forPassword: false))
    }

    @Test("a user other than the required one ends the flow with 1020", arguments: [0, 1])
    func wrongUser(_ index: Int) {
        let required: [RequiredUser] = [.user(UserID(oid: "other")), .signInName("ann@example.org")]
        let rig = Rig(requirement: Requirement(user: required[index]))
        rig.passwordRight()
        #expect(rig.refusal?.reason == .wrongUser)
        #expect(rig.flow.state == .failed(.wrongUser))
        #expect(rig.finish == nil)
    }

    @Test("the required user can sign in under any spelling of the name") func requiredUser() {
        let rig = Rig(requirement: Requirement(user: .signInName("JO@Example.org")))
        #expect(rig.step?.nodes.first?.value == "JO@Example.org")
        rig.passwordRight()
        #expect(rig.finish != nil)
        let other = Rig(requirement: Requirement(user: .user(Samples.jo.user)), prefill: ["username": "jo@example.org"])
        #expect(other.step?.actions.map(\.name) == [.cancel])
        other.submit(["password": "right"])
        #expect(other.record.inHand.typedName == "jo@example.org")
    }

    @Test("a hint is prefilled and may be changed") func hint() {
        let rig = Rig(requirement: Requirement(user: .hint("ann@example.org")))
        #expect(rig.step?.nodes.first?.value == "ann@example.org")
        rig.passwordRight()
        #expect(rig.finish != nil)
    }

    @Test("consent is the last step: yes ends the flow successfully, no ends it as denied", arguments: [true, false])
    func consent(_ allows: Bool) {
        let scope = ConsentScope(scope: "tasks/tasks.read", description: "Read your tasks")
        let request = ConsentRequest(client: "web1", clientName: "Web", scopes: [scope])
        let rig = Rig(requirement: Requirement(consent: request))
        rig.passwordRight()
        #expect(rig.work == .consent(Samples.jo.user, request))
        rig.happen(.evaluated(.consent(false)))
        #expect(rig.verdict == .next)
        #expect(rig.step?.type == .consent)
        #expect(rig.step?.nodes.map(\.name) == ["tasks/tasks.read", "allow"])
        #expect(rig.step?.data?["clientName"] == "Web")
        rig.submit(["allow": "yes"])
        #expect(rig.refusal?.nodes.map(\.code) == [.wrongType])
        rig.submit(["allow": .bool(allows)])
        #expect(rig.verdict == (allows ? .accepted : .rejected))
        #expect(rig.flow.state == (allows ? .succeeded : .failed(.denied)))
        #expect(rig.finish?.authentication.consented == (allows ? true : nil))
    }

    @Test("an earlier consent is not requested again, unless the requirement asks for it") func consentBefore() {
        let request = ConsentRequest(client: "web1", clientName: "Web", scopes: [])
        let rig = Rig(requirement: Requirement(consent: request))
        rig.passwordRight()
        rig.happen(.evaluated(.consent(true)))
        #expect(rig.verdict == .accepted && rig.finish?.authentication.consented == false)
        let again = ConsentRequest(client: "web1", clientName: "Web", scopes: [], asksAgain: true)
        let other = Rig(requirement: Requirement(consent: again))
        other.passwordRight()
        #expect(other.step?.type == .consent)
    }
}
