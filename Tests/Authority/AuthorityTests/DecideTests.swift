import Attempts
import AuthorityStore
import FlowModel
import Foundation
import Moments
import OAuth
import Policies
import TestSupport
import Testing
import Tokens

@testable import Authority

@Suite(.timeLimit(.minutes(2)), .indexedStatements)
struct DecideTests {
    @Test("without a session the user must sign in, and the request is stored") func nobody() async throws {
        let scene = try await Scene()
        let resolved = try await scene.authority.resolve(TokenRequest("tasks.read"))
        let (requirement, pending) = try #require(
            try await scene.authority.decide(resolved, for: nil, prompt: .auto, scene.caller).lacking
        )
        #expect(requirement == Requirement())
        #expect(pending.owner == scene.owner)
        #expect(pending.policy == "b2c_1_sign_up_or_in")
    }

    @Test("a user that signed up is signed in for every policy that shares the session") func tenant() async throws {
        let scene = try await Scene()
        let session = try await scene.signUp()
        for policy in ["b2c_1_sign_up_or_in", "b2c_1_sign_in"] {
            let resolved = try await scene.authority.resolve(TokenRequest("tasks.read") { $0.policy = policy })
            let decision = try await scene.authority.decide(resolved, for: nil, prompt: .auto, scene.caller)
            #expect(decision.session == session.id)
        }
    }

    @Test(
        "a session never serves another user, whatever is requested",
        arguments: [
            (Owner.local(machine: "m1", uid: 1001), nil as RequiredUser?),
            (Owner.local(machine: "m2", uid: 1000), nil),
            (Owner.local(machine: "m1", uid: 1000), .signInName("somebody@example.org")),
            (Owner.local(machine: "m1", uid: 1000), .user(UserID(oid: "0a1b2c3d-0000-4000-8000-00000000ffff"))),
        ]
    )
    func others(_ owner: Owner, _ who: RequiredUser?) async throws {
        let scene = try await Scene()
        try await scene.signUp()
        let resolved = try await scene.authority.resolve(TokenRequest("tasks.read"))
        let decision = try await scene.authority.decide(resolved, for: who, prompt: .auto, Caller(owner: owner))
        #expect(decision.session == nil)
    }

    @Test("a required user is found by any spelling of the sign-in name") func name() async throws {
        let scene = try await Scene()
        let session = try await scene.signUp()
        let resolved = try await scene.authority.resolve(TokenRequest("tasks.read"))
        let decision = try await scene.authority.decide(
            resolved,
            for: .signInName("ADA@example.org"),
            prompt: .none,
            scene.caller
        )
        #expect(decision.session == session.id)
    }

    @Test("with sessions of two users and no user named, the user must choose") func two() async throws {
        let scene = try await Scene()
        try await scene.signUp()
        try await scene.signUp(UserID(oid: "0a1b2c3d-0000-4000-8000-000000000002"), name: "bob@example.org")
        let resolved = try await scene.authority.resolve(TokenRequest("tasks.read"))
        let decision = try await scene.authority.decide(resolved, for: nil, prompt: .auto, scene.caller)
        #expect(decision.session == nil)
        #expect(
            try await scene.authority.sessions.signedIn(scene.owner).map(\.user.username).sorted() == [
                "ada@example.org", "bob@example.org",
            ]
        )
    }

    @Test(
        "the prompts login, create and select_account always require interaction",
        arguments: [Prompt.login, .create, .select]
    )
    func prompts(_ prompt: Prompt) async throws {
        let scene = try await Scene()
        try await scene.signUp()
        let resolved = try await scene.authority.resolve(TokenRequest("tasks.read"))
        let decision = try await scene.authority.decide(resolved, for: nil, prompt: prompt, scene.caller)
        let (requirement, _) = try #require(decision.lacking)
        #expect(requirement.session == nil)
        #expect(requirement.entrance == (prompt == .create ? .create : .policy))
    }

    @Test("a session expires by either clock, and not sooner") func ends() async throws {
        let scene = try await Scene()
        try await scene.signUp()
        let resolved = try await scene.authority.resolve(TokenRequest("tasks.read"))
        scene.time.advance(by: .seconds(86_399))
        #expect(try await scene.authority.decide(resolved, for: nil, prompt: .auto, scene.caller).session != nil)
        scene.time.setWall(by: .seconds(-3600))
        scene.time.advance(by: .seconds(2))
        #expect(try await scene.authority.decide(resolved, for: nil, prompt: .auto, scene.caller).session == nil)
    }

    @Test(
        "a policy shares its sessions as far as its configuration allows",
        arguments: [
            (SessionScope.tenant, "b2c_1_sign_in", "tasks-cli", true),
            (.application, "b2c_1_sign_in", "tokenbroker-cli", true),
            (.application, "b2c_1_sign_up_or_in", "tasks-cli", false),
            (.policy, "b2c_1_sign_up_or_in", "tasks-cli", true),
            (.policy, "b2c_1_sign_in", "tokenbroker-cli", false),
            (.none, "b2c_1_sign_up_or_in", "tokenbroker-cli", false),
        ]
    )
    func sharing(_ scope: SessionScope, _ policy: String, _ client: String, _ shared: Bool) async throws {
        let scene = try await Scene(catalogue: Scene.catalogue(session: SessionRule(scope: scope)))
        try await scene.signUp(scope: scope)
        let request = TokenRequest("tasks.read") {
            $0.policy = policy
            $0.client = client
        }
        let resolved = try await scene.authority.resolve(request)
        let decision = try await scene.authority.decide(resolved, for: nil, prompt: .auto, scene.caller)
        #expect((decision.session != nil) == shared)
    }

    @Test("a check that a scope requires expires, and only that check is repeated") func stepUp() async throws {
        let scene = try await Scene()
        let session = try await scene.signUp()
        let resolved = try await scene.authority.resolve(TokenRequest("accessRestricted"))
        #expect(try await scene.authority.decide(resolved, for: nil, prompt: .auto, scene.caller).session == session.id)
        scene.time.advance(by: .seconds(61))
        let (requirement, _) = try #require(
            try await scene.authority.decide(resolved, for: nil, prompt: .auto, scene.caller).lacking
        )
        #expect(requirement.checks == ["EmailCode"])
        #expect(requirement.session == session.id)
        #expect(requirement.user == .user(Scene.user))
        let plain = try await scene.authority.resolve(TokenRequest("tasks.read"))
        #expect(try await scene.authority.decide(plain, for: nil, prompt: .auto, scene.caller).session == session.id)
    }

    @Test("a check bound to a uid runs at the socket; a browser gets an equivalent check, or none")
    func uid()
        async throws
    {
        let pin = Check(name: "Pin", type: .pin)
        func catalogue(_ scopes: [String: [String]]) throws -> PolicyCatalogue {
            let policy = Policy(id: try PolicyID("b2c_1_sign_up_or_in"), kind: .signUpOrSignIn, scopes: scopes)
            let checks = [
                Check(name: "UserLogin", type: .password), pin, Check(name: "EmailCode", type: .emailCode, acr: "2"),
            ]
            return PolicyCatalogue(policies: [policy], checks: checks, order: ["UserLogin", "Pin", "EmailCode"])
        }
        let browser = Caller(owner: .browser(session: "b"))
        func asked(_ catalogue: PolicyCatalogue, _ request: TokenRequest, _ caller: Caller) async throws -> [String]? {
            let scene = try await Scene(catalogue: catalogue)
            let resolved = try await scene.authority.resolve(request)
            return try await scene.authority.decide(resolved, for: nil, prompt: .auto, caller).lacking?.0.checks
        }
        let scene = try await Scene()
        let strong = TokenRequest("tasks.read") { $0.acrValues = ["2"] }
        let both = try catalogue(["tasks.read": [], "accessRestricted": ["Pin"], "shared": ["EmailCode"]])
        #expect(try await asked(both, strong, scene.caller) == ["Pin"])
        #expect(try await asked(both, strong, browser) == ["EmailCode"])
        let only = try catalogue(["tasks.read": [], "accessRestricted": ["Pin"]])
        for request in [strong, TokenRequest("accessRestricted")] {
            let refusal = await #expect(throws: Refusal.self) { try await asked(only, request, browser) }
            #expect(refusal?.reason == .unmetAuthenticationRequirements)
        }
        #expect(try await asked(only, TokenRequest("accessRestricted"), scene.caller) == ["Pin"])
    }

    @Test("setting the wall clock back does not extend a check") func back() async throws {
        let scene = try await Scene()
        try await scene.signUp()
        scene.time.setWall(by: .seconds(-3600))
        let resolved = try await scene.authority.resolve(TokenRequest("accessRestricted"))
        #expect(try await scene.authority.decide(resolved, for: nil, prompt: .auto, scene.caller).session == nil)
        let aged = try await scene.authority.resolve(TokenRequest("tasks.read") { $0.maxAge = 60 })
        #expect(try await scene.authority.decide(aged, for: nil, prompt: .auto, scene.caller).session == nil)
    }

    @Test("the sign-in check lasts as long as its configuration says") func signInExpires() async throws {
        let scene = try await Scene(catalogue: Scene.catalogue(signInExpires: .seconds(300)))
        try await scene.signUp()
        let resolved = try await scene.authority.resolve(TokenRequest("tasks.read"))
        #expect(try await scene.authority.decide(resolved, for: nil, prompt: .auto, scene.caller).session != nil)
        scene.time.advance(by: .seconds(301))
        let (requirement, _) = try #require(
            try await scene.authority.decide(resolved, for: nil, prompt: .auto, scene.caller).lacking
        )
        #expect(requirement.session == nil)
    }

    @Test("maxAge and acrValues are satisfied or lead to a prompt") func ageAndContext() async throws {
        let scene = try await Scene()
        try await scene.signUp(proofs: [scene.password()])
        let young = try await scene.authority.resolve(TokenRequest("tasks.read") { $0.maxAge = 60 })
        #expect(try await scene.authority.decide(young, for: nil, prompt: .auto, scene.caller).session != nil)
        scene.time.advance(by: .seconds(61))
        let (old, _) = try #require(
            try await scene.authority.decide(young, for: nil, prompt: .auto, scene.caller).lacking
        )
        #expect(old.maxAge == 60)
        #expect(old.session == nil)
        let strong = try await scene.authority.resolve(TokenRequest("tasks.read") { $0.acrValues = ["2"] })
        let (weak, _) = try #require(
            try await scene.authority.decide(strong, for: nil, prompt: .auto, scene.caller).lacking
        )
        #expect(weak.checks == ["EmailCode"])
        #expect(weak.session != nil)
    }

    @Test("a third-party client needs consent once, and nothing else") func consent() async throws {
        let other = OAuthClient(ClientSummary(client: "other", name: "Other"), apis: ["tasks"])
        let scene = try await Scene(settings: Scene.settings(clients: [other]))
        let session = try await scene.signUp()
        let resolved = try await scene.authority.resolve(TokenRequest("tasks.read") { $0.client = "other" })
        let (requirement, pending) = try #require(
            try await scene.authority.decide(resolved, for: nil, prompt: .auto, scene.caller).lacking
        )
        #expect(requirement.session == session.id)
        #expect(
            requirement.consent?.scopes == [
                ConsentScope(scope: "tasks/tasks.read", description: "Read your tasks")
            ]
        )
        try await scene.signIn(client: "other", pending: pending, consented: true)
        #expect(try await scene.authority.issue(pending: pending.id, scene.caller) != nil)
        #expect(try await scene.authority.decide(resolved, for: nil, prompt: .none, scene.caller).session != nil)
        let more = try await scene.authority.resolve(TokenRequest("tasks.write") { $0.client = "other" })
        #expect(try await scene.authority.decide(more, for: nil, prompt: .auto, scene.caller).session == nil)
    }

    @Test("a user with no attempts left is blocked before any prompt") func blocked() async throws {
        let scene = try await Scene()
        let session = try await scene.signUp()
        let attempts = Attempts(store: scene.store)
        let check = try #require(Scene.catalogue()[check: "UserLogin"])
        for _ in 0..<3 {
            _ = try await attempts.charge(
                check: CheckBudget(check),
                subject: .user(session.user),
                origin: scene.owner.origin
            )
        }
        let resolved = try await scene.authority.resolve(TokenRequest("tasks.read"))
        let refusal = await #expect(throws: Refusal.self) {
            try await scene.authority.decide(resolved, for: .user(session.user), prompt: .login, scene.caller)
        }
        #expect(refusal?.reason == .blocked)
        #expect((refusal?.retryAfterMs ?? 0) > 0)
        #expect(try await scene.events().contains("signin.blocked"))
        let decision = try await scene.authority.decide(resolved, for: nil, prompt: .auto, scene.caller)
        #expect(decision.session == session.id)
        _ = try await Attempts(store: scene.store).unlock(Scene.user, names: ["ada@example.org"], by: scene.caller)
        let again = try await scene.authority.decide(
            resolved,
            for: .user(session.user),
            prompt: .login,
            scene.caller
        )
        #expect(again.lacking != nil)
    }

    @Test("`mandatoryScope` is part of the sign-in: a session needs its check and lasts as long")
    func mandatory() async throws {
        let checks = [Check(name: "UserLogin", type: .password), Check(name: "EmailCode", type: .emailCode)]
        let policy = Policy(
            id: Scene.id("b2c_1_sign_up_or_in"),
            kind: .signUpOrSignIn,
            scopes: ["tasks.read": [], "accessRestricted": ["EmailCode"]],
            mandatoryScope: ["EmailCode"]
        )
        let catalogue = PolicyCatalogue(policies: [policy], checks: checks, order: checks.map(\.name))
        let scene = try await Scene(catalogue: catalogue)
        let resolved = try await scene.authority.resolve(TokenRequest("tasks.read"))
        try await scene.signUp(proofs: [scene.password()])
        let weak = try await scene.authority.decide(resolved, for: nil, prompt: .auto, scene.caller).lacking
        #expect(weak != nil && weak?.0.session == nil)
        let session = try await scene.signIn(proofs: [scene.password(), scene.code()])
        // A check in `mandatoryScope` counts as long as the session. A check that only a scope requires would have
        // expired by now.
        scene.time.advance(by: .seconds(7200))
        for scope in ["tasks.read", "accessRestricted"] {
            let request = try await scene.authority.resolve(TokenRequest(scope))
            let decision = try await scene.authority.decide(request, for: nil, prompt: .auto, scene.caller)
            #expect(decision.session == session.id, "\(scope)")
        }
    }
}
