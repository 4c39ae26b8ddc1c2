import FlowModel
import Foundation
import Moments
import OAuth
import Policies
import TestSupport
import Testing

@testable import Flows

@Suite(.timeLimit(.minutes(2)))
struct FlowMachineSessionTests {
    private let old = Proof(check: "UserLogin", credential: .password, at: 5, acr: "1", amr: ["pwd"])

    private func begun(_ requirement: Requirement) -> Rig {
        Rig(Samples.policy(.signIn), requirement: requirement, person: Samples.jo, sessionProofs: [old])
    }

    @Test("checks of the session are not repeated, and the missing one runs") func lackingCheck() {
        let requirement = Requirement(checks: ["EmailCode"], user: .user(Samples.jo.user), session: "s-1")
        let rig = begun(requirement)
        #expect(rig.recipient == .person(Samples.jo, check: "EmailCode"))
        rig.happen(.evaluated(.codeMade(Samples.code(.person(Samples.jo, check: "EmailCode")))))
        rig.submit(["code": "123456"])
        rig.happen(.evaluated(.right(nil)))
        #expect(rig.finish?.session == "s-1")
        #expect(rig.finish?.authentication.proofs.map(\.credential) == [.password, .email])
        #expect(rig.finish?.authentication.proofs.first == old)
    }

    @Test("a session that lacks only consent prompts for consent alone") func lackingConsent() {
        let consent = ConsentRequest(client: "web1", clientName: "Web", scopes: [])
        let rig = begun(Requirement(user: .user(Samples.jo.user), consent: consent, session: "s-1"))
        #expect(rig.work == .consent(Samples.jo.user, consent))
        rig.happen(.evaluated(.consent(false)))
        #expect(rig.step?.type == .consent)
        rig.submit(["allow": true])
        #expect(rig.finish?.authentication.consented == true)
        #expect(rig.finish?.authentication.proofs == [old])
    }

    @Test("a check named by the requirement runs again, regardless of the session") func anew() {
        let rig = begun(Requirement(checks: ["UserLogin"], user: .user(Samples.jo.user), session: "s-1"))
        #expect(rig.step?.type == .password)
        #expect(rig.step?.nodes.first?.value == "jo@example.org")
    }

    @Test("no other user can continue from a session") func somebodyElse() {
        let rig = begun(Requirement(checks: ["UserLogin"], session: "s-1"))
        let ann = ProvenPerson(user: UserID(oid: "ann"), username: "ann@x.org", displayName: nil, address: nil)
        rig.submit(["username": "ann@x.org", "password": "right"])
        rig.happen(.evaluated(.right(ann, names: ["ann@x.org"])))
        #expect(rig.refusal?.reason == .wrongUser)
    }
}
