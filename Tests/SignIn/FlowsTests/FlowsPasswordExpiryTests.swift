import AuthorityStore
import FlowModel
import OAuth
import Policies
import TestSupport
import Testing

@testable import Flows

/// Tests passwords that must be changed at a sign-in, with the flow engine.
@Suite(.timeLimit(.minutes(2)), .indexedStatements)
struct FlowsPasswordExpiryTests {
    private func renew(_ world: World, _ asked: SubmissionResult) async throws {
        #expect(asked.verdict == .next && asked.flow.step?.type == .newPassword)
        #expect(asked.flow.step?.messages.map(\.code) == ["password.expired"])
        let same = await refusal { try await world.submit(asked.flow, ["newPassword": "Secret123"]) }
        #expect(same?.reason == .invalidAnswer)
        let done = try await world.submit(asked.flow, ["newPassword": "Other-secret-7"])
        #expect(done.verdict == .accepted && done.flow.state == .succeeded)
        let session = try #require(done.finished?.session)
        #expect(try await world.store.sessions.live(owner: World.jo).map(\.id) == [session])
        #expect(try await world.signIn("Other-secret-7").flow.state == .succeeded)
        #expect(try await world.signIn("Secret123").verdict == .rejected)
    }

    @Test("a password that an operator expired is changed at the next sign-in, and its sessions end") func required()
        async throws
    {
        let world = try World()
        let person = try await world.signUp()
        try await world.store.users.requireNewPassword(of: person.user, events: [])
        #expect(try await world.store.sessions.live(owner: World.jo).isEmpty)
        try await renew(world, try await world.signIn("Secret123"))
    }

    @Test("a password of the policy's maximum age is changed at the next sign-in") func age() async throws {
        var rule = PasswordRule.strong
        rule.expiresAfter = .seconds(90 * 86_400)
        let asking = Policy(
            id: try PolicyID("b2c_1_sign_in"),
            kind: .signIn,
            attributes: Samples.attributeRules,
            password: rule
        )
        let world = try World(policies: [asking, Samples.policy(.signUp)])
        try await world.signUp()
        world.clock.advance(by: .seconds(89 * 86_400))
        #expect(try await world.signIn("Secret123").flow.state == .succeeded)
        world.clock.advance(by: .seconds(2 * 86_400))
        try await renew(world, try await world.signIn("Secret123"))
    }

    @Test("a user who abandons the prompt for a new password has changed nothing") func leaves() async throws {
        let world = try World()
        let person = try await world.signUp()
        try await world.store.users.requireNewPassword(of: person.user, events: [])
        let asked = try await world.signIn("Secret123")
        _ = try await world.act(asked.flow, "cancel")
        #expect(try await world.store.sessions.live(owner: World.jo).isEmpty)
        #expect(try await world.signIn("Secret123").flow.step?.type == .newPassword)
    }
}
