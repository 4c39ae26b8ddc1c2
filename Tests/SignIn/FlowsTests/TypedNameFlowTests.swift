import AuthorityStore
import Credentials
import FlowModel
import Foundation
import OAuth
import Policies
import TestSupport
import Testing

@testable import Flows

/// Tests that `signInName: both` does not reveal that two names belong to the same user.
@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct TypedNameFlowTests {
    private static let names = ["jo", "jo@example.org"]

    private func world(dailyLimit: Int = 100) async throws -> World {
        let checks = [
            Check(name: "UserLogin", type: .password, dailyLimit: dailyLimit),
            Check(name: "EmailCode", type: .emailCode, dailyLimit: dailyLimit),
        ]
        let attributes = [
            AttributeRule(name: "email", required: true, verify: true), AttributeRule(name: "username", required: true),
        ]
        let policies = [PolicyKind.signUp, .signIn].map {
            Samples.policy($0, signInName: .both, attributes: attributes)
        }
        let byCode = Samples.policy(
            .signUpOrSignIn,
            signInName: .both,
            attributes: attributes,
            signInChecks: ["EmailCode"]
        )
        let world = try World(policies: policies + [byCode], checks: checks)
        let flow = try await world.start(.signUp).flow
        let answers: [String: JSONValue] = ["email": "jo@example.org", "username": "jo", "password": "Secret123"]
        let asked = try await world.submit(flow, answers)
        let code = try #require(try await world.code())
        #expect(try await world.submit(asked.flow, ["code": .string(code)]).verdict == .accepted)
        return world
    }

    private func shown(_ result: SubmissionResult) -> String {
        let messages = result.flow.step?.messages.map(\.text).joined() ?? ""
        let attempts = String(describing: result.flow.step?.attempts)
        return "\(result.verdict) \(result.flow.state) \(attempts) \(messages) \(result.flow.retryAfterMs ?? 0)"
    }

    @Test("three wrong passwords under one name block it, and do not affect the other") func block() async throws {
        let world = try await world()
        for guess in 1...3 { _ = try await world.signIn("wrong-\(guess)", as: "jo", owner: World.ann) }
        #expect(await refusal { try await world.signIn("x", as: "JO", owner: World.ann) }?.reason == .blocked)
        let other = try await world.signIn("wrong", as: "jo@example.org", owner: World.ann)
        let stranger = try await world.signIn("wrong", as: "nobody@example.org", owner: World.ann)
        #expect(shown(other) == shown(stranger))
        #expect(other.flow.step?.attempts == AttemptsLeft(remaining: 2, max: 3))
        #expect(try await world.signIn("Secret123", as: "jo@example.org", owner: World.ann).verdict == .accepted)
    }

    @Test("wrong codes under one name block it, and do not affect the other") func codes() async throws {
        let world = try await world()
        func wrong(_ name: String) async throws -> SubmissionResult {
            let named = try await world.start(.signUpOrSignIn, owner: World.ann).flow
            let asked = try await world.submit(named, ["username": .string(name)], owner: World.ann).flow
            return try await world.submit(asked, ["code": "000000"], owner: World.ann)
        }
        var last = try await wrong("jo")
        while last.flow.state == .challenge {
            world.clock.advance(by: .seconds(120))
            last = try await wrong("jo")
        }
        #expect(last.flow.state == .failed(.blocked))
        let (other, stranger) = (try await wrong("jo@example.org"), try await wrong("nobody@example.org"))
        #expect(other.flow.step?.attempts == stranger.flow.step?.attempts && other.flow.state == .challenge)
    }

    @Test("wrong passwords under both names share a daily limit, which looks the same as for a name without a user")
    func daily() async throws {
        let world = try await world(dailyLimit: 4)
        let strangers = ["nobody", "nobody@example.org"]
        for name in Self.names + strangers {
            for guess in 1...2 { _ = try await world.signIn("wrong-\(guess)", as: name, owner: World.ann) }
        }
        let hashes = world.hasher.computations
        for (name, stranger) in zip(Self.names, strangers) {
            // This origin submits the right password, but the user has never signed in from this origin.
            let other = Owner.local(machine: "m", uid: 1002)
            let void = try await world.signIn("Secret123", as: name, owner: other)
            let wrong = try await world.signIn("Secret123", as: stranger, owner: other)
            #expect(void.verdict == .rejected && shown(void) == shown(wrong))
        }
        #expect(world.hasher.computations - hashes == 4)
        // The right password is accepted from the origin where the user signed up.
        for name in Self.names { #expect(try await world.signIn("Secret123", as: name).verdict == .accepted) }
    }

    @Test("a step for an identified user shows the remaining attempts of the prefilled name") func filledIn()
        async throws
    {
        let world = try await world()
        let user = try #require(try await world.store.users.find(signInName: "jo")).id
        _ = try await world.signIn("wrong", as: "jo", owner: World.ann)
        let flow = try await world.start(owner: World.ann, requirement: Requirement(user: .user(user))).flow
        #expect(flow.step?.attempts == AttemptsLeft(remaining: 2, max: 3))
    }
}
