import FlowModel
import Foundation
import Moments
import OAuth
import Policies
import TestSupport
import Testing

@testable import Flows

/// Tests the user's choice to be remembered, which the password step offers.
@Suite(.timeLimit(.minutes(1)))
struct FlowMachineRememberMeTests {
    private static let checks = [
        Check(name: "UserLogin", type: .password, rememberMe: .seconds(120)),
        Check(name: "EmailCode", type: .emailCode),
    ]

    private func rig(_ session: SessionRule = SessionRule(), checks: [Check] = checks) -> Rig {
        Rig(Samples.policy(.signUpOrSignIn, session: session), checks: checks)
    }

    private func right(_ rig: Rig, _ rememberMe: JSONValue?) {
        var answers: [String: JSONValue] = ["username": "jo@example.org", "password": "right"]
        answers["rememberMe"] = rememberMe
        rig.submit(answers)
        if rig.refusal == nil { rig.happen(.evaluated(.right(Samples.jo, names: ["jo@example.org"]))) }
    }

    @Test("IF §4.9: the password step has the node rememberMe if its check allows it and a session is created")
    func node() throws {
        let node = try #require(rig().step?.nodes.last)
        #expect(node.name == "rememberMe" && node.kind == .bool && !node.required)
        #expect(rig(checks: Samples.checks).step?.nodes.map(\.name) == ["username", "password"])
        #expect(rig(SessionRule(scope: .none)).step?.nodes.map(\.name) == ["username", "password"])
    }

    @Test(
        "only true is remembered, and a value that is not offered or not a Boolean is rejected",
        arguments: [(true, true), (false, nil), (nil, nil)] as [(JSONValue?, Bool?)]
    )
    func answer(_ answer: JSONValue?, _ isRemembered: Bool?) {
        let rig = rig()
        right(rig, answer)
        #expect(rig.finish?.authentication.proofs.map(\.isRemembered) == [isRemembered])
        let other = self.rig()
        right(other, "yes")
        #expect(other.refusal?.reason == .invalidAnswer && other.refusal?.nodes.map(\.name) == ["rememberMe"])
        let without = self.rig(checks: Samples.checks)
        right(without, true)
        #expect(without.refusal?.reason == .invalidAnswer)
    }

    @Test("the choice of a wrong answer does not count for the next right one") func last() {
        let rig = rig()
        rig.submit(["username": "jo@example.org", "password": "wrong", "rememberMe": true])
        rig.happen(.evaluated(.wrong))
        right(rig, nil)
        #expect(rig.finish?.authentication.proofs.map(\.isRemembered) == [nil])
    }
}
