import FlowModel
import Moments
import Policies
import TestSupport
import Testing

@testable import Authority

@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct ProofRuleTests {
    private let now = TestClock().now

    private func rule(
        _ secondFactor: SecondFactor = SecondFactor(),
        share: Check.Share = .client,
        client: String? = nil
    ) throws -> ProofRule {
        let checks = [
            Check(name: "UserLogin", type: .password), Check(name: "EmailCode", type: .emailCode),
            Check(name: "Authenticator", type: .totp), Check(name: "Pin", type: .pin, share: share),
        ]
        let policy = Policy(
            id: try PolicyID("b2c_1_test"),
            kind: .signIn,
            secondFactor: secondFactor,
            scopes: ["vault": ["Pin"]]
        )
        return ProofRule(
            policy: policy,
            catalogue: PolicyCatalogue(policies: [policy], checks: checks),
            client: client
        )
    }

    private func proof(_ check: String, _ credential: Credential, client: String? = nil) -> Proof {
        Proof(check: check, credential: credential, at: now.wall, acr: "1", amr: [], client: client)
    }

    @Test(
        "a sign-in holds with one of the second factors, or at a device that was known where the policy says so",
        arguments: [
            (.never, [], true), (.always, [], false), (.always, [.email], true), (.always, [.totp], true),
            (.always, [.device], false), (.always, [.pin], false), (.newDevice, [], false), (.newDevice, [.totp], true),
            (.newDevice, [.device], true),
        ] as [(SecondFactor.Occasion, [Credential], Bool)]
    )
    func secondFactor(_ when: SecondFactor.Occasion, _ credentials: [Credential], _ holds: Bool) throws {
        let rule = try rule(SecondFactor(when: when, checks: ["Authenticator", "EmailCode"]))
        let proofs = [proof("UserLogin", .password)] + credentials.map { proof($0.rawValue, $0) }
        #expect(rule.signInHolds(proofs, at: now) == holds)
        #expect(!rule.signInHolds(Array(proofs.dropFirst()), at: now))
    }

    @Test(
        "a check that a scope asks for counts for the client that it was given to, unless the uid shares it",
        arguments: [
            (.client, "tasks-cli", true), (.client, "other", false), (.uid, "other", true), (.client, nil, true),
        ] as [(Check.Share, String?, Bool)]
    )
    func shared(_ share: Check.Share, _ client: String?, _ holds: Bool) throws {
        let rule = try rule(share: share, client: client)
        let given = proof("Pin", .pin, client: "tasks-cli")
        #expect(rule.holds("Pin", by: [given], at: now) == holds)
        #expect(rule.holds(scope: "vault", api: nil, by: [given], at: now) == holds)
        // Given before anything asked, or by an earlier version, it counts for all.
        #expect(rule.holds("Pin", by: [proof("Pin", .pin)], at: now))
    }
}
