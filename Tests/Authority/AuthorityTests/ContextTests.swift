import AuthorityStore
import FlowModel
import OAuth
import Policies
import TestSupport
import Testing

@testable import Authority

/// Two checks can use the same credential and satisfy different authentication contexts (RFC 9470 §4).
@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct ContextTests {
    private static let catalogue: PolicyCatalogue = {
        let checks = [
            Check(name: "UserLogin", type: .password), Check(name: "Vault", type: .password, acr: "3"),
        ]
        let policy = Policy(
            id: Scene.id("b2c_1_sign_up_or_in"),
            kind: .signUpOrSignIn,
            scopes: ["tasks.read": [], "accessRestricted": ["Vault"]],
            checks: Dictionary(checks.map { ($0.name, $0) }) { first, _ in first }
        )
        return PolicyCatalogue(policies: [policy], checks: checks, order: ["UserLogin", "Vault"])
    }()

    private func strong(_ scene: Scene) async throws -> ResolvedRequest {
        try await scene.authority.resolve(TokenRequest("tasks.read") { $0.acrValues = ["3"] })
    }

    private func vault(_ scene: Scene) -> Proof {
        let login = scene.password()
        return Proof(check: "Vault", credential: login.credential, at: login.at, acr: "3", amr: login.amr)
    }

    @Test("a session does not satisfy a context through another check of the same credential") func session()
        async throws
    {
        let scene = try await Scene(catalogue: Self.catalogue)
        try await scene.signUp(proofs: [scene.password()])
        let resolved = try await strong(scene)
        #expect(try await scene.authority.decide(resolved, for: nil, prompt: .auto, scene.caller).session == nil)
    }

    @Test("the context's own check satisfies it, in a session and in a flow") func reached() async throws {
        let scene = try await Scene(catalogue: Self.catalogue)
        let session = try await scene.signUp(proofs: [scene.password(), vault(scene)])
        let resolved = try await strong(scene)
        #expect(try await scene.authority.decide(resolved, for: nil, prompt: .auto, scene.caller).session == session.id)
        let issued = try await scene.authority.issue(resolved, session: session.id, scene.caller)
        #expect(issued.acr == "3")
    }

    @Test("a flow that passed only the other check gives no token for the context") func flow() async throws {
        let scene = try await Scene(catalogue: Self.catalogue)
        try await scene.signUp(proofs: [scene.password()])
        let pending = try #require(
            try await scene.authority.decide(strong(scene), for: nil, prompt: .auto, scene.caller).lacking
        ).1
        try await scene.signIn(proofs: [scene.password()], pending: pending)
        let refusal = await #expect(throws: Refusal.self) {
            try await scene.authority.issue(pending: pending.id, scene.caller)
        }
        #expect(refusal?.reason == .unmetAuthenticationRequirements)
    }

    @Test("a refresh token family of the other check does not cover the context") func family() async throws {
        let scene = try await Scene(catalogue: Self.catalogue)
        let session = try await scene.signUp(proofs: [scene.password()])
        let plain = try await scene.authority.resolve(TokenRequest("tasks.read"))
        let issued = try await scene.authority.issue(plain, session: session.id, scene.caller)
        let client = issued.client
        let covers = { (request: ResolvedRequest) in
            try await scene.covers(request, by: issued.refreshToken, client)
        }
        #expect(try await covers(plain))
        #expect(try await !covers(strong(scene)))
    }
}
