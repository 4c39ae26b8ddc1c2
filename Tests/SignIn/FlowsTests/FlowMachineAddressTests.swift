import AuthorityStore
import FlowModel
import Foundation
import OAuth
import OpenIDClient
import Policies
import TestSupport
import Testing

@testable import Flows

/// Tests which e-mail address a new user gets if the identity provider supplies no verified address.
@Suite(.timeLimit(.minutes(1)))
struct FlowMachineAddressTests {
    private static func identity(_ attributes: [String: String] = ["displayName": "Ada"]) -> ProviderIdentity {
        ProviderIdentity(provider: "partner", issuer: "https://partner.example", subject: "1", attributes: attributes)
    }

    private func rig(
        _ attributes: [AttributeRule],
        checks: [String] = [],
        _ identity: ProviderIdentity = Self.identity()
    ) throws -> Rig {
        let rig = Rig(
            Policy(
                id: try PolicyID("b2c_1_partner"),
                kind: .social,
                displayName: "Partner",
                identityProviders: ["partner"],
                attributes: attributes,
                mandatoryScope: checks,
                checks: Dictionary(uniqueKeysWithValues: Samples.checks.map { ($0.name, $0) })
            ),
            presentation: Presentation().inBrowser
        )
        #expect(rig.step?.type == .provider)
        rig.record.known.provider = "partner"
        rig.submit(["state": .string(rig.plan.providerRequest?.state ?? ""), "code": "c"])
        rig.happen(.evaluated(.identified(identity, nil, names: [])))
        return rig
    }

    @Test("a policy that requires an address prompts for it alone, and sends a code before the account is created")
    func required() throws {
        let rig = try rig([AttributeRule(name: "email", required: true), AttributeRule(name: "city", required: true)])
        #expect(rig.step?.type == .attributes && rig.step?.nodes.map(\.name) == ["email"])
        rig.submit([:])
        #expect(rig.refusal?.reason == .invalidAnswer && rig.finish == nil)
        rig.submit(["email": "ada@example.org"])
        #expect(rig.recipient == .attributeAddress("ada@example.org") && rig.finish == nil)
        rig.happen(.evaluated(.codeMade(Samples.code(.attributeAddress("ada@example.org")))))
        #expect(rig.step?.type == .code && rig.mails.count == 1)
        rig.submit(["code": "123456"])
        rig.happen(.evaluated(.right(nil)))
        let user = rig.finish?.newUser
        #expect(user?.attributes["email"] == "ada@example.org" && user?.signInNames.isEmpty == true)
        #expect(rig.finish?.links.map(\.subject) == ["1"])
        #expect(rig.finish?.authentication.proofs.map(\.credential).contains(.federated) == true)
    }

    @Test("the user can change the address that the code was sent to") func back() throws {
        let rig = try rig([AttributeRule(name: "email", required: true)])
        rig.submit(["email": "ada@exmaple.org"])
        rig.happen(.evaluated(.codeMade(Samples.code(.attributeAddress("ada@exmaple.org")))))
        rig.act("back")
        #expect(rig.step?.type == .attributes && rig.step?.nodes.map(\.name) == ["email"])
        #expect(rig.record.inHand.draft?.identity?.subject == "1")
        rig.submit(["email": "ada@example.org"])
        #expect(rig.recipient == .attributeAddress("ada@example.org"))
    }

    @Test("a check that sends a code to an address also prompts for one") func check() throws {
        let rig = try rig([], checks: ["EmailCode"])
        #expect(rig.step?.type == .attributes && rig.step?.nodes.map(\.name) == ["email"])
        rig.submit(["email": "ada@example.org"])
        rig.happen(.evaluated(.codeMade(Samples.code(.attributeAddress("ada@example.org")))))
        rig.submit(["code": "123456"])
        rig.happen(.evaluated(.right(nil)))
        #expect(rig.finish?.authentication.proofs.contains { $0.credential == .email } == true)
    }

    @Test("an address verified by the provider is used, and a check sends its code there") func vouched() throws {
        let identity = Self.identity(["email": "ada@example.org"])
        let taken = try rig([AttributeRule(name: "email", required: true)], identity)
        #expect(taken.finish?.newUser?.attributes["email"] == "ada@example.org")
        let checked = try rig([], checks: ["EmailCode"], identity)
        #expect(checked.recipient == .attributeAddress("ada@example.org") && checked.finish == nil)
    }

    @Test("a policy that requires no address does not prompt for one") func none() throws {
        let rig = try rig([AttributeRule(name: "email")])
        #expect(rig.finish?.newUser != nil && rig.finish?.newUser?.attributes["email"] == nil)
    }
}
