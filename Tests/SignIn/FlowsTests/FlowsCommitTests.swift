import AuthorityStore
import Credentials
import FlowModel
import Foundation
import Moments
import OAuth
import Policies
import Storage
import TestSupport
import Testing

@testable import Flows

/// Tests what is written to the store for an answer.
///
/// The claim and the charge must be written before the answer is compared, and everything else afterward.
@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct FlowsCommitTests {
    private let right: [String: JSONValue] = ["username": "jo@example.org", "password": "Secret123"]
    private let wrong: [String: JSONValue] = ["username": "jo@example.org", "password": "wrong"]
    private let heir = Owner.browser(session: "heir")

    private func request(_ world: World) -> PendingRequest {
        PendingRequest(
            id: "r-1",
            owner: World.jo,
            client: "tasks-cli",
            policy: "b2c_1_sign_in",
            body: Data("{}".utf8),
            expires: Deadline(.seconds(900), after: world.clock.now)
        )
    }

    /// Answers the open step of a flow, and lets `conclude` decide what is stored if the flow succeeds.
    private func submit(
        _ flow: Flow,
        _ answers: [String: JSONValue],
        id: String,
        _ world: World,
        _ conclude: @escaping Conclude<Int>
    ) async throws -> (SubmissionResult, Int?) {
        let step = try #require(flow.step).id
        return try await world.flows.submit(
            FlowSubmission(flow: flow.id, step: step, submissionID: id, answers: answers),
            caller: Caller(owner: World.jo),
            concluding: conclude
        )
    }

    @Test("the answer that signs in takes two commits, for a password and for the code of a new account") func twice()
        async throws
    {
        let world = try World()
        let asked = try await world.submit(
            try await world.start(.signUp).flow,
            ["email": "jo@example.org", "displayName": "Jo", "password": "Secret123"]
        )
        let code = try #require(try await world.code())
        var before = try world.commits()
        #expect(try await world.submit(asked.flow, ["code": .string(code)]).verdict == .accepted)
        #expect(try world.commits() - before == 2)
        let flow = try await world.start(pending: request(world)).flow
        before = try world.commits()
        #expect(try await world.submit(flow, right).verdict == .accepted)
        #expect(try world.commits() - before == 2)
    }

    @Test("a kill between the two commits costs one attempt, and the same answer signs in afterwards") func killed()
        async throws
    {
        let world = try World()
        let jo = try await world.signUp().user
        let request = request(world)
        let flow = try await world.start(pending: request).flow
        let events = try await world.events()
        let sessions = try await world.store.sessions.live(owner: World.jo)
        let hashes = world.hasher.computations
        let commits = try world.commits()
        try await world.claim(flow, right)
        #expect(try world.commits() - commits == 1)
        #expect(world.hasher.computations == hashes)
        try world.reopen()
        let cut = try await world.flows.get(flow.id, owner: World.jo)
        #expect(cut.state == .challenge && cut.step?.type == .password)
        #expect(cut.step?.messages.map(\.code) == ["evaluation.interrupted"])
        #expect(cut.step?.attempts == AttemptsLeft(remaining: 2, max: 3))
        #expect(try await world.events() == events)
        #expect(try await world.store.sessions.live(owner: World.jo) == sessions)
        #expect(try await world.store.requests.waiting("r-1", owner: World.jo) == request)
        let unmet = await #expect(throws: StoreError.self) {
            try await world.store.requests.peek("r-1", owner: World.jo)
        }
        #expect(unmet?.code == .notFound)
        // The id of the interrupted submission cannot be used again, but the same answer can be submitted again.
        #expect(try await world.submit(flow, right, id: "cut").verdict == .rejected)
        #expect(try await world.submit(cut, right).verdict == .accepted)
        #expect(try await world.store.requests.peek("r-1", owner: World.jo).authentication.user == jo)
    }

    @Test("an answer beyond its budget takes one commit, and is neither charged, claimed nor compared")
    func refused() async throws {
        let world = try World()
        try await world.signUp()
        let flow = try await world.start().flow
        for guess in ["wrong", "wronger", "wrongest"] { _ = try await world.signIn(guess) }
        let (hashes, commits) = (world.hasher.computations, try world.commits())
        #expect(await refusal { try await world.submit(flow, right, id: "1") }?.reason == .blocked)
        #expect(world.hasher.computations == hashes)
        #expect(try world.commits() - commits == 1)
        #expect(try await world.events().last == AuditKind.signInBlocked.rawValue)
        #expect(try await world.flows.get(flow.id, owner: World.jo).state == .challenge)
        world.clock.advance(by: .milliseconds(10_000))
        #expect(try await world.submit(flow, right, id: "1").verdict == .accepted)
    }

    @Test("grants are written together with a flow's success, and with no other answer") func given() async throws {
        let world = try World()
        try await world.signUp()
        let conclude: Conclude<Int> = { [heir] outcome, _ in
            Conclusion(handingOver: [SessionHandOver(from: World.jo, to: heir, of: outcome.user)], 7)
        }
        let flow = try await world.start().flow
        let (rejected, nothing) = try await submit(flow, wrong, id: "1", world, conclude)
        #expect(rejected.verdict == .rejected && nothing == nil)
        #expect(try await world.store.sessions.live(owner: heir).isEmpty)
        let commits = try world.commits()
        let (accepted, given) = try await submit(rejected.flow, right, id: "2", world, conclude)
        #expect(accepted.verdict == .accepted && given == 7)
        #expect(try world.commits() - commits == 2)
        let session = try #require(accepted.finished?.session)
        #expect(try await world.store.sessions.live(owner: heir).contains { $0.id == session })
        #expect(try await world.store.sessions.live(owner: World.jo).isEmpty)
        let (again, once) = try await submit(rejected.flow, right, id: "2", world, conclude)
        #expect(again.verdict == .accepted && once == nil)
    }

    @Test(
        "a grant that cannot be written does not stop a flow from succeeding, and no part of it is written",
        arguments: [true, false]
    )
    func notGiven(_ isDecided: Bool) async throws {
        let world = try World()
        try await world.signUp()
        let conclude: Conclude<Int> = { [heir] outcome, _ in
            guard isDecided else { throw Refusals.noProvider }
            let changes = [SessionHandOver(from: World.jo, to: heir, of: outcome.user)]
            return .impossible(for: outcome.user, at: World.jo, handingOver: changes, 7)
        }
        let flow = try await world.start().flow
        let (accepted, given) = try await submit(flow, right, id: "1", world, conclude)
        #expect(accepted.verdict == .accepted && given == nil)
        let session = try #require(accepted.finished?.session)
        #expect(try await world.store.sessions.live(owner: World.jo).contains { $0.id == session })
        #expect(try await world.store.sessions.live(owner: heir).isEmpty)
    }

    @Test("a loaded flow accepts the answers of its owner to itself, and to no other flow") func loaded()
        async throws
    {
        let world = try World()
        try await world.signUp()
        let (first, second) = (try await world.start().flow, try await world.start().flow)
        let loaded = try await world.flows.load(first.id, owner: World.jo)
        #expect(loaded.flow == first)
        let step = try #require(second.step).id
        let answer = FlowSubmission(flow: second.id, step: step, submissionID: "1", answers: right)
        let result = try await world.flows.submit(
            answer,
            loaded: loaded,
            caller: Caller(owner: World.jo),
            concluding: nil as Conclude<Never>?
        ).0
        #expect(result.flow.id == second.id && result.verdict == .accepted)
        #expect(try await world.flows.get(first.id, owner: World.jo).state == .challenge)
        let foreign = FlowSubmission(flow: first.id, step: first.step?.id ?? "", submissionID: "1", answers: right)
        let refused = await refusal {
            try await world.flows.submit(
                foreign,
                loaded: loaded,
                caller: Caller(owner: World.ann),
                concluding: nil as Conclude<Never>?
            )
        }
        #expect(refused?.reason == .flowNotFound)
    }
}
