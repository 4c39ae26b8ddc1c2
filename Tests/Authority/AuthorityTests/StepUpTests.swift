import AuthorityStore
import FlowModel
import Localization
import OAuth
import Policies
import TestSupport
import Testing

@testable import Authority

@Suite(.timeLimit(.minutes(2)), .indexedStatements)
struct StepUpTests {
    private static let stepUp = Policy(
        id: Scene.id("b2c_1_step_up"),
        kind: .stepUp,
        signInChecks: [],
        scopes: ["tasks.read": [], "accessRestricted": [], "ghost": []],
        mandatoryScope: ["EmailCode"]
    )

    private static func request(_ scopes: String..., at session: String? = "b2c_1_sign_in") -> TokenRequest {
        var request = TokenRequest(scopes: scopes)
        request.policy = "b2c_1_step_up"
        request.sessionPolicy = session
        return request
    }

    private static func scene() async throws -> Scene { try await Scene(catalogue: Scene.catalogue(extra: [stepUp])) }

    @Test("a step-up policy requires its checks, and the policy of the session issues the token") func asked()
        async throws
    {
        let scene = try await Self.scene()
        let resolved = try await scene.authority.resolve(Self.request("tasks.read"))
        #expect(resolved.policy.description == "b2c_1_sign_in" && resolved.checks == ["EmailCode"])
        let session = try await scene.signUp()
        #expect(try await scene.authority.decide(resolved, for: nil, prompt: .auto, scene.caller).session == session.id)
        scene.time.advance(by: .seconds(61))
        let lacking = try await scene.authority.decide(resolved, for: nil, prompt: .auto, scene.caller).lacking
        #expect(lacking?.0.checks == ["EmailCode"] && lacking?.0.session == session.id)
    }

    @Test("a context that only the step-up check satisfies is satisfied, and another is rejected") func context()
        async throws
    {
        let scene = try await Self.scene()
        var request = Self.request("tasks.read")
        request.acrValues = ["2"]
        #expect(try await scene.authority.resolve(request).checks == ["EmailCode"])
        request.acrValues = ["9"]
        let refused = await #expect(throws: Refusal.self) { try await scene.authority.resolve(request) }
        #expect(refused?.reason == .unmetAuthenticationRequirements)
    }

    @Test("a scope that either policy does not grant is rejected") func scope() async throws {
        let scene = try await Self.scene()
        let own = await #expect(throws: Refusal.self) {
            try await scene.authority.resolve(Self.request("tasks.write"))
        }
        #expect(own?.reason == .scopeDenied && own?.message.contains("b2c_1_step_up") == true)
        let other = await #expect(throws: Refusal.self) { try await scene.authority.resolve(Self.request("ghost")) }
        #expect(other?.reason == .scopeDenied)
    }

    @Test("without a session a step-up is rejected, and so is a session of a step-up policy") func nobody()
        async throws
    {
        let scene = try await Self.scene()
        for session in [nil, "b2c_1_step_up"] {
            let refused = await #expect(throws: Refusal.self) {
                try await scene.authority.resolve(Self.request("tasks.read", at: session))
            }
            #expect(refused?.reason == .interactionRequired)
        }
    }

    @Test("a step-up policy has no issuer, metadata or endpoints") func issuer() async throws {
        let scene = try await Self.scene()
        #expect(scene.authority.issuers.metadata(policy: "b2c_1_step_up") == nil)
        #expect(!scene.authority.policies.contains { $0.kind.stepsUp })
        let id = Scene.id("b2c_1_step_up")
        let refused = await #expect(throws: Refusal.self) {
            try await scene.authority.requests.request(Form([:]), policy: id)
        }
        #expect(refused?.reason == .unknownPolicy)
    }
}
