import AuthorityStore
import FlowModel
import Foundation
import Moments
import OAuth
import Storage
import TestSupport
import Testing

@testable import Flows

/// Tests flows that end without any prompt.
@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct FlowsAtOnceTests {
    @Test(
        "a flow without open requirements succeeds when it starts, and everything that follows is stored"
    )
    func atOnce() async throws {
        let world = try World()
        let made = try await world.signUp()
        let session = try #require(try await world.store.sessions.live(owner: World.jo).first)
        world.clock.advance(by: .seconds(600))
        let pending = PendingRequest(
            id: "r1",
            owner: World.jo,
            client: "tasks-cli",
            policy: "b2c_1_sign_in",
            body: Data("body".utf8),
            expires: Deadline(.seconds(900), after: world.clock.now)
        )
        let requirement = Requirement(user: .user(made.user), session: session.id)
        let started = try await world.start(requirement: requirement, pending: pending, requestID: "q1")
        #expect(started.flow.state == .succeeded && !started.joined)
        let finished = try #require(started.finished)
        #expect(finished.user == made.user && finished.session == session.id && finished.pendingRequest == "r1")
        #expect(try await world.finishedAtOnce(started.flow)?.user == made.user)
        let later = try await world.store.sessions.live(owner: World.jo).first
        #expect(try #require(later).ends.wall == session.ends.wall + 600_000)
        let met = try await world.store.requests.peek("r1", owner: World.jo)
        #expect(met.authentication.user == made.user)
        // Repeating the request returns the same flow, which does not end again.
        let again = try await world.start(requirement: requirement, pending: pending, requestID: "q1")
        #expect(again.flow.id == started.flow.id && again.finished == nil)
        let events = try await world.store.audit.all(limit: 100).map(\.event)
        #expect(events.filter { $0 == "flow.started" }.count == 2)
        #expect(events.filter { $0 == "flow.succeeded" }.count == 2)
    }

    @Test("a flow that prompted first did not succeed at its start") func notAtOnce() async throws {
        let world = try World()
        let made = try await world.signUp()
        let result = try await world.signIn("Secret123")
        #expect(result.finished?.user == made.user)
        #expect(try await world.finishedAtOnce(result.flow) == nil)
    }
}
