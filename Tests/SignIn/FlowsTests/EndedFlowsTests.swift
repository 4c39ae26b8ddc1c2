import AuthorityStore
import FlowModel
import Foundation
import Moments
import OAuth
import Policies
import Synchronization
import TestSupport
import Testing

@testable import Flows

/// Tests flows that end because their policy changes or because they expire.
///
/// The end must be stored exactly once, before any caller learns about the end.
@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct EndedFlowsTests {
    private let right: [String: JSONValue] = ["username": "jo@example.org", "password": "Secret123"]

    /// The operations that can be the first to notice that a flow has ended.
    enum Look: CaseIterable {
        case get, wait, list, count, finished, finishedAtOnce, submit, act, cancel, departure, proof, client, link, join
        case repetition, start, reload
    }

    @Test(
        "the first operation that finds the end stores it, and restoring the policy changes nothing",
        arguments: Look.allCases
    )
    func firstLook(_ look: Look) async throws {
        let world = try World()
        try await world.signUp()
        let flow = try await world.start(joinKey: "k", requestID: "r").flow
        for _ in 0..<7 { _ = try await world.start() }
        let policies = world.changePolicy()
        try await self.look(look, at: flow, in: world)
        world.catalogue.withLock { $0 = policies }
        let now = try await world.flows.get(flow.id, owner: World.jo)
        #expect(now.state == .failed(.policyChanged) && now.rev == flow.rev + 1)
        #expect(await refusal { try await world.submit(flow, right) }?.reason == .flowFinished)
        #expect(try await world.flows.list(owner: World.jo).allSatisfy { $0.id != flow.id })
        #expect(try await !world.start(joinKey: "k").joined)
        try world.reopen()
        await world.flows.endOutdated()
        #expect(try await world.flows.get(flow.id, owner: World.jo) == now)
    }

    private func look(_ look: Look, at flow: Flow, in world: World) async throws {
        let (flows, owner, caller) = (world.flows, World.jo, Caller(owner: World.jo))
        let ended = FlowState.failed(.policyChanged)
        switch look {
        case .get: #expect(try await flows.get(flow.id, owner: owner).state == ended)
        case .wait:
            let waited = try await flows.wait(flow.id, owner: owner, sinceRev: flow.rev, timeout: .seconds(60))
            #expect(waited.state == ended)
        case .list: #expect(try await flows.list(owner: owner).isEmpty)
        case .count: #expect(try await flows.count(owner: owner) == 0)
        case .finished: #expect(try await flows.finished(flow.id, owner: owner) == nil)
        case .finishedAtOnce: #expect(flows.finishedAtOnce(try await flows.load(flow.id, owner: owner)) == nil)
        case .submit: #expect(await refusal { try await world.submit(flow, right) }?.reason == .flowFinished)
        case .act: #expect(await refusal { try await world.act(flow, "cancel") }?.reason == .flowFinished)
        case .cancel: #expect(try await flows.cancel(flow.id, caller: caller).state == ended)
        case .departure: #expect(try await flows.visits.departure(flow.id, owner: owner, at: nil) == nil)
        case .proof: #expect(try await flows.requireProof(flow.id, at: "t", caller: caller).state == ended)
        case .client: #expect(try await flows.client(of: flow.id, owner: owner) == "tasks-cli")
        case .link: #expect(try await !flows.isLink(flow.id, owner: owner))
        case .join:
            let other = try await world.start(joinKey: "k")
            #expect(!other.joined && other.flow.state == .challenge && other.flow.id != flow.id)
            _ = try await flows.cancel(other.flow.id, caller: caller)
        case .repetition:
            let same = try await world.start(joinKey: "k", requestID: "r")
            #expect(!same.joined && same.flow.id == flow.id && same.flow.state == ended)
        case .start:
            // The store still contains eight open flows, but none of them counts toward the limit of its owner.
            #expect(try await world.start().flow.state == .challenge)
        case .reload: await flows.endOutdated()
        }
    }

    @Test("eight flows of a changed policy leave room for eight others") func room() async throws {
        let world = try World()
        for _ in 0..<8 { _ = try await world.start() }
        #expect(await refusal { try await world.start() }?.facts[.limit] == "flowsPerUid")
        world.changePolicy()
        for _ in 0..<8 { #expect(try await world.start().flow.state == .challenge) }
        #expect(await refusal { try await world.start() }?.facts[.limit] == "flowsPerUid")
        #expect(try await world.flows.list(owner: World.jo).count == 8)
    }

    @Test("a reload ends the flows of the changed policy once, for every owner, and no others")
    func reload() async throws {
        let world = try World(limits: FlowLimits(perOwner: 8, total: 2_000))
        var owners: [Owner] = []
        for uid in 0..<300 as Range<UInt32> {
            let owner = Owner.local(machine: "m", uid: uid)
            owners.append(owner)
            _ = try await world.start(owner: owner)
        }
        let other = try await world.start(.signUpOrSignIn).flow
        let waited = try await world.start(owner: World.ann).flow
        let waiting = Task { [flows = world.flows] in
            try await flows.wait(waited.id, owner: World.ann, sinceRev: waited.rev, timeout: .seconds(60)).state
        }
        world.changePolicy()
        await world.flows.endOutdated()
        #expect(try await waiting.value == .failed(.policyChanged))
        let open = try await world.store.flows.open(after: "", limit: 1_000)
        #expect(open.count == 1 && open.first?.policy == "b2c_1_sign_up_or_sign_in")
        #expect(try await world.flows.get(other.id, owner: World.jo).state == .challenge)
        func ends() async throws -> Int {
            try await world.store.audit.all(since: 0, limit: 10_000).count { $0.event == "flow.failed" }
        }
        #expect(try await ends() == 301)
        await world.flows.endOutdated()
        for owner in owners { #expect(try await world.flows.list(owner: owner).isEmpty) }
        #expect(try await ends() == 301)
    }

    @Test("removing a policy ends its flows, which would otherwise not have expired yet")
    func removed() async throws {
        let world = try World()
        let flow = try await world.start().flow
        world.catalogue.withLock { $0 = PolicyCatalogue(policies: [], checks: []) }
        world.clock.advance(by: .seconds(901))
        try await world.flows.sweep()
        #expect(try await world.store.flows.list(owner: World.jo).isEmpty)
        #expect(try await world.flows.get(flow.id, owner: World.jo).state == .failed(.policyChanged))
    }

    @Test("a flow that was reported as expired stays so when the wall clock is set back") func clock() async throws {
        let world = try World()
        try await world.signUp()
        let flow = try await world.start(joinKey: "k").flow
        world.clock.setWall(by: .seconds(900))
        #expect(try await world.flows.get(flow.id, owner: World.jo).state == .expired)
        world.clock.setWall(by: .seconds(-900))
        #expect(try await world.flows.get(flow.id, owner: World.jo).state == .expired)
        #expect(await refusal { try await world.submit(flow, right) }?.reason == .flowFinished)
        #expect(try await !world.start(joinKey: "k").joined)
    }

    @Test("an answer that is evaluated while its policy changes does not sign in") func underWay() async throws {
        let world = try World()
        try await world.signUp()
        let flow = try await world.start().flow
        let stored = try await world.flows.engine.rows.load(flow.id, owner: World.jo)
        let machine = try #require(stored.machine)
        let event = FlowEvent.submitted(step: try #require(flow.step).id, id: "1", answers: right)
        let next = machine.reduce(stored.record, event, now: world.clock.now)
        var claimed = stored
        claimed.record = try await world.flows.engine.rows.write(next, over: stored, Caller(owner: World.jo))
        claimed.rev = claimed.record.history.revision
        let policies = world.changePolicy()
        await world.flows.endOutdated()
        world.catalogue.withLock { $0 = policies }
        let work = try #require(next.evaluation)
        let refused = await refusal { [claimed] in
            try await world.flows.engine.evaluate(
                work,
                claimed,
                machine,
                concluding: nil as Conclude<Never>?,
                Caller(owner: World.jo)
            )
        }
        #expect(refused?.reason == .flowFinished)
        #expect(try await world.flows.get(flow.id, owner: World.jo).state == .failed(.policyChanged))
    }
}

extension World {
    /// Changes the sign-in policy, and returns the previous policies.
    @discardableResult
    fileprivate func changePolicy() -> PolicyCatalogue {
        catalogue.withLock { catalogue in
            defer {
                let changed = Samples.policy(.signIn, displayName: "Another")
                let policies = [Samples.signUpOrIn, Samples.policy(.signUp), changed]
                catalogue = PolicyCatalogue(policies: policies, checks: Samples.checks)
            }
            return catalogue
        }
    }
}
