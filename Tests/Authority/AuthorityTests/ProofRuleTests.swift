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
            scopes: ["vault": ["Pin"], "open": []],
            clientScopes: ["tasks-cli": ["open": ["Pin"]]]
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
        "a sign-in is complete with any of its second factors, or on a known device where the policy allows it",
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
        "a remembered sign-in counts for as long as the check allows now, and no longer",
        arguments: [
            (true, 30, 100, true), (true, 99, 100, true), (true, 101, 100, false), (nil, 30, 100, false),
            (true, 30, 0, false), (true, 19, 0, true),
        ] as [(Bool?, Int64, Int64, Bool)]
    )
    func remembered(_ asked: Bool?, _ age: Int64, _ rememberMe: Int64, _ holds: Bool) throws {
        let check = Check(
            name: "UserLogin",
            type: .password,
            successStateExpiration: .seconds(20),
            rememberMe: .seconds(rememberMe)
        )
        let policy = Policy(id: try PolicyID("b2c_1_test"), kind: .signIn, scopes: ["vault": ["UserLogin"]])
        let rule = ProofRule(policy: policy, catalogue: PolicyCatalogue(policies: [policy], checks: [check]))
        let given = Proof(
            check: "UserLogin",
            credential: .password,
            at: now.wall - age * 1000,
            acr: "1",
            amr: ["pwd"],
            isRemembered: asked
        )
        #expect(rule.signInHolds([given], at: now) == holds)
        #expect(rule.isRemembered(given, at: now) == (asked == true && age <= rememberMe))
        let bound = try #require(rule.bound(scopes: ["vault"], api: nil, proofs: [given], at: now))
        // A token lasts at most `successStateExpiration` (20 s), and not longer than the password check still counts.
        #expect(bound == (holds ? .seconds(min(20, max(20, asked == true ? rememberMe : 0) - age)) : .zero))
    }

    @Test(
        "a check that a scope requires counts only for the client it was passed for, unless the uid shares it",
        arguments: [
            (.client, "tasks-cli", true), (.client, "other", false), (.uid, "other", true), (.client, nil, true),
        ] as [(Check.Share, String?, Bool)]
    )
    func shared(_ share: Check.Share, _ client: String?, _ holds: Bool) throws {
        let rule = try rule(share: share, client: client)
        let given = proof("Pin", .pin, client: "tasks-cli")
        #expect(rule.holds("Pin", by: [given], at: now) == holds)
        #expect(rule.holds(scope: "vault", api: nil, by: [given], at: now) == holds)
        // A proof that names no client counts for all clients.
        #expect(rule.holds("Pin", by: [proof("Pin", .pin)], at: now))
    }

    @Test(
        "a client's scope requires its own checks in addition, and its tokens expire with them",
        arguments: [("tasks-cli", false), ("other", true), (nil, true)] as [(String?, Bool)]
    )
    func clientScopes(_ client: String?, _ holds: Bool) throws {
        let rule = try rule(client: client)
        #expect(rule.holds(scope: "open", api: nil, by: [], at: now) == holds)
        #expect(rule.holds(scope: "open", api: "tasks", by: [proof("Pin", .pin)], at: now))
        let bound = rule.bound(scopes: ["open"], api: nil, proofs: [proof("Pin", .pin)], at: now)
        #expect((bound == nil) == holds)
    }
}
