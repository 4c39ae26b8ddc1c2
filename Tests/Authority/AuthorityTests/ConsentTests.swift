import AuthorityStore
import FlowModel
import OAuth
import TestSupport
import Testing

@testable import Authority

@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct ConsentTests {
    private static let clients =
        ["other", "third"].map { OAuthClient(ClientSummary(client: $0, name: $0), apis: ["tasks"]) }
        + [OAuthClient(ClientSummary(client: "once", name: "once"), apis: ["tasks"], grants: [.authorizationCode])]

    /// Creates a scene whose user has granted the client `other` the scope `tasks.read`, and nothing else.
    private func scene() async throws -> Scene {
        let scene = try await Scene(settings: Scene.settings(clients: Self.clients))
        try await scene.signUp()
        let pending = try #require(try await decide(scene, "tasks.read").lacking).1
        try await scene.signIn(client: "other", pending: pending, consented: true)
        _ = try await scene.authority.issue(pending: pending.id, scene.caller)
        return scene
    }

    private func decide(
        _ scene: Scene,
        _ scopes: String...,
        client: String = "other",
        more: [String] = [],
        as caller: Caller? = nil
    ) async throws -> Decision {
        var request = TokenRequest(scopes: scopes)
        request.client = client
        request.additionalScopes = more
        let resolved = try await scene.authority.resolve(request)
        return try await scene.authority.decide(resolved, for: nil, prompt: .auto, caller ?? scene.caller)
    }

    @Test("a scope with consent does not need consent again") func again() async throws {
        let scene = try await scene()
        #expect(try await decide(scene, "tasks.read").session != nil)
    }

    @Test("consent to one scope does not cover another, alone or in combination") func another() async throws {
        let scene = try await scene()
        #expect(try await decide(scene, "tasks.write").session == nil)
        let (requirement, _) = try #require(try await decide(scene, "tasks.read", "tasks.write").lacking)
        #expect(requirement.consent?.scopes.map(\.scope) == ["tasks/tasks.read", "tasks/tasks.write"])
        for (scope, words) in [("profile", "Read your profile"), ("email", "Read your e-mail address")] {
            let (more, pending) = try #require(try await decide(scene, "tasks.read", "openid", scope).lacking)
            #expect(
                more.consent?.scopes == [
                    ConsentScope(scope: "tasks/tasks.read", description: "Read your tasks"),
                    ConsentScope(scope: scope, description: words),
                ]
            )
            try await scene.signIn(client: "other", pending: pending, consented: true)
            _ = try await scene.authority.issue(pending: pending.id, scene.caller)
            #expect(try await decide(scene, "tasks.read", "openid", scope).session != nil)
        }
        #expect(try await decide(scene, "tasks.read", "openid", "profile", "email").session != nil)
    }

    @Test("a client that would get a refresh token needs consent to offline access")
    func offline() async throws {
        let scene = try await scene()
        let (requirement, pending) = try #require(
            try await decide(scene, "tasks.read", "offline_access").lacking
        )
        #expect(
            requirement.consent?.scopes == [
                ConsentScope(scope: "tasks/tasks.read", description: "Read your tasks"),
                ConsentScope(scope: "offline_access", description: "Keep access while you are not using the app"),
            ]
        )
        try await scene.signIn(client: "other", pending: pending, consented: true)
        _ = try await scene.authority.issue(pending: pending.id, scene.caller)
        #expect(try await decide(scene, "tasks.read", "offline_access").session != nil)
        let (once, _) = try #require(try await decide(scene, "tasks.write", client: "once").lacking)
        #expect(once.consent?.scopes.map(\.scope) == ["tasks/tasks.write"])
        let (kept, _) = try #require(try await decide(scene, "tasks.write", "offline_access", client: "once").lacking)
        #expect(kept.consent?.scopes.map(\.scope) == ["tasks/tasks.write"])
    }

    @Test("a token without scopes needs consent too, because the client learns who the user is") func unscoped()
        async throws
    {
        let scene = try await scene()
        let resolved = try await scene.authority.resolve(.unscoped { $0.client = "other" })
        #expect(resolved.scopes.isEmpty && resolved.audience == "tasks-audience")
        func decide() async throws -> Decision {
            try await scene.authority.decide(resolved, for: nil, prompt: .auto, scene.caller)
        }
        let (requirement, pending) = try #require(try await decide().lacking)
        #expect(requirement.consent?.scopes == [ConsentScope(scope: "tasks/", description: "Access the API tasks")])
        try await scene.signIn(client: "other", pending: pending, consented: true)
        _ = try await scene.authority.issue(pending: pending.id, scene.caller)
        #expect(try await decide().session != nil)
    }

    @Test("consent to a token for the client itself does not cover an API without scopes") func clientItself()
        async throws
    {
        let scene = try await scene()
        let (requirement, pending) = try #require(try await decide(scene, "openid").lacking)
        #expect(requirement.consent?.scopes == [ConsentScope(scope: "other", description: "Know who you are")])
        try await scene.signIn(client: "other", pending: pending, consented: true)
        _ = try await scene.authority.issue(pending: pending.id, scene.caller)
        #expect(try await decide(scene, "openid").session != nil)
        let resolved = try await scene.authority.resolve(.unscoped { $0.client = "other" })
        let decision = try await scene.authority.decide(resolved, for: nil, prompt: .auto, scene.caller)
        #expect(decision.lacking?.0.consent?.scopes.map(\.scope) == ["tasks/"])
    }

    @Test("consent to one client does not cover another") func client() async throws {
        let scene = try await scene()
        #expect(try await decide(scene, "tasks.read", client: "third").session == nil)
    }

    @Test("one user's consent does not cover another user") func person() async throws {
        let scene = try await scene()
        let bob = UserID(oid: "0a1b2c3d-0000-4000-8000-000000000002")
        try await scene.signUp(bob, name: "bob@example.org", uid: 1001)
        #expect(try await decide(scene, "tasks.read", as: scene.caller(uid: 1001)).session == nil)
    }

    @Test("authentication without consent records no consent") func unasked() async throws {
        let scene = try await Scene(settings: Scene.settings(clients: Self.clients))
        try await scene.signUp()
        let pending = try #require(try await decide(scene, "tasks.read").lacking).1
        try await scene.signIn(client: "other", pending: pending, consented: false)
        #expect(try await scene.authority.issue(pending: pending.id, scene.caller) != nil)
        #expect(try await decide(scene, "tasks.read").session == nil)
    }

    @Test("authentication that relies on an earlier consent yields nothing after that consent is revoked")
    func withdrawn()
        async throws
    {
        let scene = try await scene()
        var request = TokenRequest(scopes: ["tasks.read"])
        request.client = "other"
        let asked = try await scene.authority.resolve(request)
        for isWithdrawn in [false, true] {
            let decision = try await scene.authority.decide(asked, for: nil, prompt: .login, scene.caller)
            let (requirement, pending) = try #require(decision.lacking)
            #expect(requirement.consent != nil)
            // The flow finds the earlier consent, so the user is not prompted for consent again.
            try await scene.signIn(client: "other", pending: pending, consented: false)
            guard isWithdrawn else {
                #expect(try await scene.authority.issue(pending: pending.id, scene.caller) != nil)
                continue
            }
            #expect(try await scene.store.users.withdraw(client: "other", of: Scene.user))
            let refusal = await #expect(throws: Refusal.self) {
                try await scene.authority.issue(pending: pending.id, scene.caller)
            }
            #expect(refusal?.reason == .interactionRequired)
        }
    }

    @Test("additional scopes are shown together with the requested ones") func additional() async throws {
        let scene = try await scene()
        let (requirement, _) = try #require(try await decide(scene, "tasks.write", more: ["tasks.read"]).lacking)
        #expect(requirement.consent?.scopes.map(\.scope) == ["tasks/tasks.read", "tasks/tasks.write"])
    }
}
