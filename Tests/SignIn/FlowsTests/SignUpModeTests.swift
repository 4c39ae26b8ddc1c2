import AuthorityStore
import FlowModel
import Localization
import Moments
import OAuth
import Policies
import Synchronization
import TestSupport
import Testing

@testable import Flows

@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct SignUpModeTests {
    private let answers: [String: JSONValue] = [
        "email": "jo@example.org", "displayName": "Jo", "password": "Secret123",
    ]

    private func world(_ mode: SignUpMode, policies: [Policy]? = nil) throws -> World {
        let world = try policies.map { try World(policies: $0) } ?? World()
        world.signUpMode.withLock { $0 = mode }
        return world
    }

    private func invite(_ address: String, _ world: World) async throws {
        try await world.store.invitations.invite(
            address,
            until: Deadline(.seconds(3600), after: world.clock.now),
            mail: OutboxMail(to: address, subject: "You are invited", body: Secret("come"))
        )
        _ = try await world.mail()
    }

    private func isTaken(_ world: World) async throws -> Bool {
        try await world.store.users.find(signInName: "jo@example.org") != nil
    }

    @Test("if sign-up is closed, none can be started, offered or completed") func closed() async throws {
        let world = try world(.open)
        let begun = try await world.start(.signUp).flow
        let asked = try await world.submit(begun, answers)
        let code = try #require(try await world.code())
        let unanswered = try await world.start(.signUp).flow
        world.signUpMode.withLock { $0 = .closed }
        #expect(await refusal { try await world.start(.signUp) }?.reason == .notPermitted)
        let create = Requirement(entrance: .create)
        #expect(await refusal { try await world.start(.signUpOrSignIn, requirement: create) }?.reason == .notPermitted)
        let offered = try await world.start(.signUpOrSignIn).flow.step?.actions.map(\.name)
        #expect(offered == [.cancel])
        #expect(await refusal { try await world.submit(unanswered, answers) }?.reason == .notPermitted)
        let ended = try await world.submit(asked.flow, ["code": .string(code)])
        #expect(ended.verdict == .rejected && ended.flow.state == .failed(.denied))
        #expect(try await !isTaken(world))
    }

    @Test("an invited user signs up once, with the invited address") func invited() async throws {
        let world = try world(.invited)
        try await invite("JO@example.org", world)
        let asked = try await world.submit(try await world.start(.signUp).flow, answers)
        let code = try #require(try await world.code())
        let result = try await world.submit(asked.flow, ["code": .string(code)])
        #expect(result.verdict == .accepted)
        #expect(try await isTaken(world))
        #expect(try await !world.store.invitations.has("jo@example.org"))
    }

    @Test("a user without an invitation gets as far as the code, and a mail without a code that says why")
    func stranger() async throws {
        let world = try world(.invited)
        try await invite("somebody@example.org", world)
        let asked = try await world.submit(try await world.start(.signUp).flow, answers)
        #expect(asked.verdict == .next && asked.flow.step?.type == .code)
        let mail = try #require(try await world.mail())
        #expect(mail.subject == "You need an invitation for Tasks")
        #expect(!mail.body.reveal().split(separator: "\n").contains { $0.count == 6 && Int($0) != nil })
        #expect(try await !isTaken(world))
    }

    @Test("an invitation that is revoked or expires before the code arrives does not count") func withdrawn()
        async throws
    {
        for ends in [true, false] {
            let world = try world(.invited)
            try await invite("jo@example.org", world)
            let asked = try await world.submit(try await world.start(.signUp).flow, answers)
            let code = try #require(try await world.code())
            if ends {
                try await world.store.invitations.withdraw("jo@example.org")
            } else {
                let past = Deadline(.seconds(1), after: world.clock.now)
                let mail = OutboxMail(to: "jo@example.org", subject: "", body: Secret(""))
                try await world.store.invitations.invite("jo@example.org", until: past, mail: mail)
                world.clock.advance(by: .seconds(2))
            }
            let result = try await world.submit(asked.flow, ["code": .string(code)])
            #expect(result.verdict == .rejected && result.flow.state == .failed(.denied))
            #expect(try await !isTaken(world))
        }
    }

    @Test("if an invitation is required the address is verified, whatever the policy says") func proved() async throws {
        let policy = Samples.policy(
            .signUp,
            attributes: [AttributeRule(name: "email", required: true), AttributeRule(name: "displayName")]
        )
        let world = try world(.invited, policies: [policy])
        try await invite("jo@example.org", world)
        let asked = try await world.submit(try await world.start(.signUp).flow, answers)
        #expect(asked.flow.step?.type == .code)
        #expect(try await !isTaken(world))
    }

    @Test("a policy with user names only cannot check invitations") func username() async throws {
        let policy = Samples.policy(
            .signUp,
            signInName: .username,
            attributes: [AttributeRule(name: "username", required: true)]
        )
        let world = try world(.invited, policies: [policy])
        let refused = await refusal { try await world.start(.signUp) }
        #expect(refused?.reason == .notPermitted && refused?.message.contains("invitation") == true)
    }
}
