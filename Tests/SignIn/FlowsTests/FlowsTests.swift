import Attempts
import AuthorityStore
import Credentials
import FlowModel
import Foundation
import Localization
import Moments
import OAuth
import Synchronization
import TestSupport
import Testing

@testable import Flows
@testable import Policies

@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct FlowsTests {
    private let wrong: [String: JSONValue] = ["username": "jo@example.org", "password": "wrong"]

    @Test("a flow's id is fl_ and 22 characters, and the store contains only its hash") func ids() async throws {
        let world = try World()
        let flow = try await world.start().flow
        #expect(flow.id.hasPrefix("fl_") && flow.id.count == 25)
        #expect(flow.expiresAt == world.clock.now.wall + 900_000)
    }

    @Test("every method responds to another uid's flow exactly as to an unknown one") func foreign() async throws {
        let world = try World()
        let flow = try await world.start().flow
        let step = flow.step?.id ?? ""
        for id in [flow.id, "fl_AAAAAAAAAAAAAAAAAAAAAA", "", String(repeating: "x", count: 10_000)] {
            let owner = World.ann
            let caller = Caller(owner: owner)
            let submission = FlowSubmission(flow: id, step: step, submissionID: "1", answers: wrong)
            let action = FlowAction(flow: id, step: step, action: "create", submissionID: "1")
            let refusals = [
                await refusal { try await world.flows.get(id, owner: owner) },
                await refusal { try await world.flows.wait(id, owner: owner, sinceRev: 0, timeout: .seconds(60)) },
                await refusal { try await world.flows.submit(submission, caller: caller) },
                await refusal { try await world.flows.act(action, caller: caller) },
                await refusal { try await world.flows.cancel(id, caller: caller) },
            ]
            #expect(refusals == Array(repeating: Refusal(.flowNotFound, Text("refusal.noSuchFlow")), count: 5))
            #expect(refusals.first??.message == "This flow does not exist. Start a new one.")
        }
        #expect(try await world.flows.get(flow.id, owner: World.jo).state == .challenge)
        #expect(try await world.flows.list(owner: World.ann).isEmpty)
        let machine = Owner.local(machine: "other", uid: 1000)
        #expect(await refusal { try await world.flows.get(flow.id, owner: machine) }?.reason == .flowNotFound)
    }

    @Test("an unknown policy is 1010, and an unavailable one names what is missing") func unknownPolicy() async throws {
        let world = try World()
        let facebook = try PolicyID("b2c_1_facebook_sign_in")
        let missing = PolicyCatalogue.Unavailable(
            kind: "social",
            displayName: "Facebook",
            missing: Text(exactly: "Set clientId.")
        )
        world.catalogue.withLock {
            $0 = PolicyCatalogue(policies: [], checks: [], unavailable: [facebook: missing])
        }
        #expect(await refusal { try await world.start() }?.reason == .unknownPolicy)
        let request = FlowRequest(caller: Caller(owner: World.jo), client: "c", policy: facebook)
        #expect(await refusal { try await world.flows.start(request) }?.message == "Set clientId.")
    }

    @Test("a policy that cannot create the requested account is 1008") func cannotCreate() async throws {
        let world = try World()
        let create = Requirement(entrance: .create)
        #expect(
            await refusal { try await world.start(requirement: create) }?.reason == .unmetAuthenticationRequirements
        )
        let known = Requirement(user: .user(UserID(oid: "x")))
        let refused = await refusal { try await world.start(.signUp, requirement: known) }
        #expect(refused?.reason == .unmetAuthenticationRequirements)
    }

    @Test("the same request id returns the same flow within 120 s, and a new one afterwards") func requestID()
        async throws
    {
        let world = try World()
        let first = try await world.start(requestID: "r").flow
        world.clock.advance(by: .milliseconds(119_999))
        #expect(try await world.start(requestID: "r").flow.id == first.id)
        #expect(try await world.start(owner: World.ann, requestID: "r").flow.id != first.id)
        world.clock.advance(by: .milliseconds(1))
        #expect(try await world.start(requestID: "r").flow.id != first.id)
        let long = String(repeating: "r", count: 65)
        #expect(await refusal { try await world.start(requestID: long) }?.reason == .invalidAnswer)
    }

    @Test("a reused request id with other parameters is a malformed request and reveals no flow")
    func requestIDOfAnother() async throws {
        let world = try World()
        let made = try await world.signUp()
        func start(_ asked: JSONValue, for user: RequiredUser? = nil) async throws -> Flow {
            try await world.flows.start(
                FlowRequest(
                    caller: Caller(owner: World.jo),
                    client: "tasks-cli",
                    policy: try PolicyID("b2c_1_sign_in"),
                    requirement: Requirement(user: user),
                    requestID: "r",
                    asked: asked
                )
            ).flow
        }
        let first = try await start(["scopes": ["tasks.read"]])
        #expect(try await start(["scopes": ["tasks.read"]]).id == first.id)
        // A repeated request must have the same parameters, but the requirement derived from them may differ.
        #expect(try await start(["scopes": ["tasks.read"]], for: .user(made.user)).id == first.id)
        for asked: JSONValue in [["scopes": ["tasks.write"]], ["scopes": ["tasks.read"], "maxAge": 1]] {
            let error = await #expect(throws: InvalidParameters.self) { try await start(asked) }
            #expect(error?.text == Text("refusal.requestIDUsed"), "\(asked)")
        }
        #expect(try await world.flows.list(owner: World.jo).map(\.id) == [first.id])
    }

    @Test("identical requests join one flow while it is open") func joining() async throws {
        let world = try World()
        try await world.signUp()
        let first = try await world.start(joinKey: "k")
        let second = try await world.start(joinKey: "k")
        #expect(!first.joined)
        #expect(second.joined)
        #expect(second.flow == first.flow)
        #expect(try await !world.start(owner: World.ann, joinKey: "k").joined)
        _ = try await world.submit(second.flow, ["username": "jo@example.org", "password": "Secret123"])
        #expect(try await world.flows.get(first.flow.id, owner: World.jo).state == .succeeded)
        #expect(try await !world.start(joinKey: "k").joined)
    }

    @Test("a start that joins a flow, or is refused for lack of room, is charged no mail") func noMailNoCharge()
        async throws
    {
        let world = try World()
        let made = try await world.signUp()
        // A flow with this requirement begins with a code that is sent to an identified user.
        let lacking = Requirement(checks: ["EmailCode"], user: .user(made.user), session: made.session)
        func start(joinKey: String? = nil, requestID: String? = nil) async throws -> Started {
            try await world.start(requirement: lacking, joinKey: joinKey, requestID: requestID)
        }
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<10 { group.addTask { try await start(joinKey: "k").flow.id } }
            var ids: Set<String> = []
            for try await id in group { ids.insert(id) }
            #expect(ids.count == 1)
        }
        for _ in 0..<30 { _ = try await start(requestID: "r") }
        for _ in 0..<6 { _ = try await start() }
        for _ in 0..<30 {
            let refused = await refusal { try await start() }
            #expect(refused?.reason == .limitExceeded && refused?.facts[.limit] == "flowsPerUid")
        }
        // One e-mail was sent for the sign-up and eight for the flows, so six more are allowed in this hour.
        try await world.flows.cancelAll(owner: World.jo)
        for _ in 0..<6 {
            let flow = try await start().flow
            _ = try await world.flows.cancel(flow.id, caller: Caller(owner: World.jo))
        }
        #expect(await refusal { try await start() }?.facts[.limit] == "mailsPerAddressPerHour")
    }

    @Test("a uid has at most 8 open flows, and one that ends makes room") func perOwner() async throws {
        let world = try World()
        var flows: [Flow] = []
        for _ in 0..<8 { flows.append(try await world.start().flow) }
        let refused = await refusal { try await world.start() }
        #expect(refused?.reason == .limitExceeded && refused?.facts[.limit] == "flowsPerUid")
        #expect(refused?.retryAfterMs == 900_000)
        _ = try await world.start(owner: World.ann)
        _ = try await world.flows.cancel(flows[0].id, caller: Caller(owner: World.jo))
        _ = try await world.start()
        world.clock.advance(by: .seconds(900))
        _ = try await world.start()
    }

    @Test("the total number of open flows is limited") func total() async throws {
        let world = try World(limits: FlowLimits(perOwner: 2, total: 4))
        for uid in [1, 2, 3] as [UInt32] { _ = try await world.start(owner: Owner.local(machine: "m", uid: uid)) }
        let refused = await refusal { try await world.start(owner: Owner.local(machine: "m", uid: 4)) }
        #expect(refused?.reason == .limitExceeded && refused?.facts[.limit] == "flows")
        #expect(refused?.retryAfterMs == 900_000)
    }

    @Test("prefilled values are shown, but secrets and unknown fields cannot be prefilled") func prefill() async throws
    {
        let world = try World()
        let flow = try await world.start(.signUp, prefill: ["displayName": "Jo", "email": "jo@example.org"]).flow
        #expect(flow.step?.nodes.compactMap(\.value) == ["jo@example.org", "Jo"])
        for name in ["password", "oid"] {
            let refused = await refusal { try await world.start(.signUp, prefill: [name: "x"]) }
            #expect(refused?.reason == .invalidAnswer)
            #expect(refused?.nodes.map(\.name) == [name])
        }
    }

    @Test("reading a flow changes nothing, even when a step has expired") func getIsPure() async throws {
        let world = try World()
        let flow = try await world.start().flow
        world.clock.advance(by: .seconds(130))
        let commits = try world.commits()
        let first = try await world.flows.get(flow.id, owner: World.jo)
        let second = try await world.flows.get(flow.id, owner: World.jo)
        #expect(first == second)
        #expect(first.step?.id != flow.step?.id)
        #expect(try world.commits() == commits)
        #expect(try await world.submit(first, wrong).verdict == .rejected)
        #expect(await refusal { try await world.submit(flow, wrong) }?.reason == .expiredStep)
    }

    @Test("waiting returns a newer revision at once, and otherwise the next change") func waiting() async throws {
        let world = try World()
        let flow = try await world.start().flow
        let owner = World.jo
        #expect(try await world.flows.wait(flow.id, owner: owner, sinceRev: 0, timeout: .seconds(60)).rev == flow.rev)
        async let waited = world.flows.wait(flow.id, owner: owner, sinceRev: flow.rev, timeout: .seconds(60))
        _ = try await world.flows.cancel(flow.id, caller: Caller(owner: owner))
        #expect(try await waited.state == .cancelled)
        let ended = try await world.flows.wait(flow.id, owner: owner, sinceRev: 99, timeout: .seconds(60))
        #expect(ended.state == .cancelled)
    }

    @Test("waiting returns the flow unchanged at its time limit, and ends when its task is cancelled")
    func waitingEnds() async throws {
        let world = try World()
        let flow = try await world.start().flow
        let owner = World.jo
        let same = try await world.flows.wait(flow.id, owner: owner, sinceRev: flow.rev, timeout: .milliseconds(1))
        #expect(same == flow)
        let task = Task {
            try await world.flows.wait(flow.id, owner: owner, sinceRev: flow.rev, timeout: .seconds(60))
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("the number of waiting calls per uid is limited, and those of others do not count") func waitersPerOwner()
        throws
    {
        let changes = FlowChanges()
        var waiting: [FlowChanges.Subscription] = []
        for index in 0..<64 { waiting.append(try changes.subscribe(to: "fl_\(index % 3)", owner: World.jo)) }
        let refusal = #expect(throws: Refusal.self) { try changes.subscribe(to: "fl_1", owner: World.jo) }
        #expect(refusal?.reason == .limitExceeded)
        _ = try changes.subscribe(to: "fl_1", owner: World.ann)
        changes.unsubscribe(waiting[0])
        changes.unsubscribe(waiting[0])
        _ = try changes.subscribe(to: "fl_1", owner: World.jo)
        let full = #expect(throws: Refusal.self) { try changes.subscribe(to: "fl_1", owner: World.jo) }
        #expect(full?.reason == .limitExceeded)
    }

    @Test("a waiting call is woken by a change of the flow, of all flows of its owner, and of all flows") func waking()
        async throws
    {
        let changes = FlowChanges()
        let waiting = try changes.subscribe(to: "fl_1", owner: World.jo)
        let wakes: [() -> Void] = [
            { changes.changed("fl_1") }, { changes.changedAll(of: World.jo) }, { changes.changedAll() },
        ]
        for wake in wakes {
            wake()
            // This timeout is longer than the test may take, so only a change ends the wait.
            try await waiting.next(within: .seconds(3_600))
        }
    }

    @Test("a call whose wait timed out waits again until there is a change") func wakingLater() async throws {
        let changes = FlowChanges()
        let waiting = try changes.subscribe(to: "fl_1", owner: World.jo)
        try await waiting.next(within: .milliseconds(1))
        let isChanged = Mutex(false)
        let woken = Task {
            try await waiting.next(within: .seconds(3_600))
            return isChanged.withLock { $0 }
        }
        for _ in 0..<10_000 { await Task.yield() }
        isChanged.withLock { $0 = true }
        changes.changed("fl_1")
        #expect(try await woken.value)
    }

    @Test("a wait ends when all of the owner's flows are cancelled, and when the flow is swept") func wakingEnds()
        async throws
    {
        let world = try World()
        let owner = World.jo
        let first = try await world.start().flow
        async let cancelled = world.flows.wait(first.id, owner: owner, sinceRev: first.rev, timeout: .seconds(60))
        try await world.flows.cancelAll(owner: owner)
        #expect(try await cancelled.state == .cancelled)
        let second = try await world.start().flow
        async let expired = world.flows.wait(second.id, owner: owner, sinceRev: second.rev, timeout: .seconds(60))
        world.clock.advance(by: .seconds(900))
        try await world.flows.sweep()
        #expect(try await expired.state == .expired)
    }

    @Test("a sign-out in another process cancels flows, and their readers see it") func closedElsewhere() async throws {
        let world = try World()
        let flow = try await world.start().flow
        #expect(try await world.flows.cancelAll(owner: World.jo) == 1)
        let seen = try await world.flows.get(flow.id, owner: World.jo)
        #expect(seen.state == .cancelled)
        #expect(seen.rev > flow.rev)
        let refused = await refusal { try await world.submit(flow, wrong) }
        #expect(refused?.reason == .flowFinished)
        #expect(refused?.facts[.state] == "cancelled")
    }

    @Test("cancelling one user's flows does not affect others") func cancelOnes() async throws {
        let world = try World()
        let made = try await world.signUp()
        let required = Requirement(user: .user(made.user))
        let mine = try await world.start(requirement: required).flow
        let other = try await world.start().flow
        #expect(try await world.flows.cancelAll(owner: World.jo, user: made.user) == 1)
        #expect(try await world.flows.get(mine.id, owner: World.jo).state == .cancelled)
        #expect(try await world.flows.get(other.id, owner: World.jo).state == .challenge)
    }

    @Test("cancelling is idempotent, and a flow that has ended keeps its state") func cancelTwice() async throws {
        let world = try World()
        try await world.signUp()
        let flow = try await world.start().flow
        let first = try await world.flows.cancel(flow.id, caller: Caller(owner: World.jo), reason: "a\u{1b}b")
        let second = try await world.flows.cancel(flow.id, caller: Caller(owner: World.jo))
        #expect(first == second)
        let done = try await world.signIn("Secret123").flow
        let after = try await world.flows.cancel(done.id, caller: Caller(owner: World.jo))
        #expect(after.state == .succeeded)
        let event = try await world.store.audit.all(since: 0, limit: 100).last { $0.event == "flow.cancelled" }
        #expect(event?.detail["reason"] == "ab")
    }

    @Test("a flow that has ended can be read for 120 s") func kept() async throws {
        let world = try World()
        let flow = try await world.start().flow
        _ = try await world.flows.cancel(flow.id, caller: Caller(owner: World.jo))
        world.clock.advance(by: .milliseconds(119_999))
        #expect(try await world.flows.get(flow.id, owner: World.jo).state == .cancelled)
        world.clock.advance(by: .milliseconds(1))
        #expect(await refusal { try await world.flows.get(flow.id, owner: World.jo) }?.reason == .flowNotFound)
    }

    @Test("an expired flow is swept, and deleted 120 s later") func sweeping() async throws {
        let world = try World()
        let flow = try await world.start().flow
        world.clock.advance(by: .seconds(900))
        #expect(try await world.flows.get(flow.id, owner: World.jo).state == .expired)
        #expect(try await world.flows.list(owner: World.jo).isEmpty)
        try await world.flows.sweep()
        #expect(try await world.events().contains("flow.expired"))
        #expect(try await world.flows.get(flow.id, owner: World.jo).state == .expired)
        world.clock.advance(by: .seconds(120))
        #expect(await refusal { try await world.flows.get(flow.id, owner: World.jo) }?.reason == .flowNotFound)
        try await world.flows.sweep()
        #expect(try await world.store.flows.list(owner: World.jo).isEmpty)
    }

    @Test("changing a policy fails its open flows") func policyChanged() async throws {
        let world = try World()
        let flow = try await world.start().flow
        let changed = Samples.policy(.signIn, displayName: "Another")
        world.catalogue.withLock { $0 = PolicyCatalogue(policies: [changed], checks: Samples.checks) }
        #expect(try await world.flows.get(flow.id, owner: World.jo).state == .failed(.policyChanged))
        #expect(await refusal { try await world.submit(flow, wrong) }?.reason == .flowFinished)
        world.catalogue.withLock { $0 = PolicyCatalogue(policies: [], checks: []) }
        #expect(try await world.flows.get(flow.id, owner: World.jo).state == .failed(.policyChanged))
        #expect(await refusal { try await world.submit(flow, wrong) }?.reason == .flowFinished)
    }

    @Test("malformed answers are counted across restarts") func malformedCounted() async throws {
        let world = try World()
        let flow = try await world.start().flow
        for _ in 0..<20 {
            #expect(await refusal { try await world.submit(flow, [:]) }?.reason == .invalidAnswer)
        }
        try world.reopen()
        let result = try await world.submit(flow, [:])
        #expect(result.flow.state == .failed(.denied))
        #expect(world.hasher.computations == 0)
    }

    @Test("a flow interrupted by a kill shows the remaining attempts, to its owner and to callers that join it")
    func cutOff() async throws {
        let world = try World()
        try await world.signUp()
        let flow = try await world.start(joinKey: "k").flow
        #expect(flow.step?.attempts == AttemptsLeft(remaining: 3, max: 3))
        try await world.claim(flow, wrong)
        world.restart()
        // The attempt was counted before the answer was checked, so the interrupted answer uses up one attempt.
        let after = try await world.start(joinKey: "k")
        #expect(after.joined)
        #expect(after.flow.step?.messages.map(\.code) == ["evaluation.interrupted"])
        #expect(after.flow.step?.attempts == AttemptsLeft(remaining: 2, max: 3))
        #expect(try await world.flows.get(flow.id, owner: World.jo).step?.attempts?.remaining == 2)
    }

    @Test("a step shows the attempts that another flow of the same uid left, unaffected by other uids")
    func otherFlow() async throws {
        let world = try World()
        try await world.signUp()
        let first = try await world.submit(try await world.start().flow, wrong)
        #expect(first.flow.step?.attempts?.remaining == 2)
        let other = wrong.merging(["password": "another"]) { $1 }
        let second = try await world.submit(try await world.start().flow, other)
        #expect(second.flow.step?.attempts?.isLast == true)
        let seen = try await world.flows.get(first.flow.id, owner: World.jo)
        #expect(seen.step?.attempts?.isLast == true)
        #expect(seen.rev == first.flow.rev)
        let theirs = try await world.submit(try await world.start(owner: World.ann).flow, wrong, owner: World.ann)
        #expect(theirs.flow.step?.attempts?.remaining == 2)
    }

    @Test("a wrong answer ends its flow if answers to other flows used up the rest during its evaluation")
    func exhaustedMeanwhile() async throws {
        let world = try World()
        try await world.signUp()
        let jo = try #require(try await world.store.users.find(signInName: "jo@example.org")?.id)
        let check = Samples.checks[0]
        for expected in [nil, nil, 10_000] as [Int64?] {
            let charge = AttemptCharge(check, .user(jo), origin: World.jo.origin)
            _ = try await world.flows.engine.rows.evaluator.take(charge)
            switch try await world.flows.engine.rows.evaluator.wrong(check, .user(jo), origin: World.jo.origin) {
            case .exhausted(let retryAfterMs): #expect(retryAfterMs == expected)
            case .wrong: #expect(expected == nil)
            default: Issue.record("neither wrong nor exhausted")
            }
        }
    }

    @Test("a value is rejected by an action that takes none, and changes nothing") func actionValue() async throws {
        let world = try World(policies: [Samples.signUpOrIn])
        let flow = try await world.start(.signUpOrSignIn).flow
        for action in Action.Name.allCases where !action.takesValue {
            let error = await #expect(throws: InvalidParameters.self) {
                try await world.flows.act(
                    FlowAction(
                        flow: flow.id,
                        step: flow.step?.id ?? "",
                        action: action.rawValue,
                        submissionID: "a",
                        value: "x"
                    ),
                    caller: Caller(owner: World.jo)
                )
            }
            #expect(error?.text == Text("refusal.actionTakesNoValue"))
        }
        #expect(try await world.flows.get(flow.id, owner: World.jo) == flow)
    }

    @Test("an evaluation interrupted by a kill is charged and abandoned, and the user is prompted again") func killed()
        async throws
    {
        let world = try World()
        try await world.signUp()
        let flow = try await world.start().flow
        try await world.claim(flow, wrong)
        #expect(try await world.flows.get(flow.id, owner: World.jo).state == .pending)
        world.restart()
        let seen = try await world.flows.get(flow.id, owner: World.jo)
        #expect(seen.step?.messages.map(\.code) == ["evaluation.interrupted"])
        #expect(try await world.submit(flow, wrong, id: "cut").verdict == .rejected)
        let right: [String: JSONValue] = ["username": "jo@example.org", "password": "Secret123"]
        #expect(try await world.submit(seen, right).verdict == .accepted)
    }

    @Test("of two daemons with one store neither abandons the other's evaluation, until that daemon ends")
    func elsewhere() async throws {
        let world = try World()
        try await world.signUp()
        let flow = try await world.start().flow
        try await world.claim(flow, wrong)
        var first: FlowDirectory? = world.flows
        world.restart()
        #expect(try await world.flows.get(flow.id, owner: World.jo).state == .pending)
        #expect(try await first?.get(flow.id, owner: World.jo).state == .pending)
        first = nil
        let seen = try await world.flows.get(flow.id, owner: World.jo)
        #expect(seen.step?.messages.map(\.code) == ["evaluation.interrupted"])
    }

    @Test("a caller that disconnects cancels no evaluation") func hangsUp() async throws {
        let world = try World(hasher: PasswordSlow.hasher)
        try await world.signUp()
        let flow = try await world.start().flow
        let caller = Task {
            try await world.submit(flow, ["username": "jo@example.org", "password": "Secret123"])
        }
        try await waitUntil("the answer is evaluated") {
            try await world.flows.get(flow.id, owner: World.jo).state != .challenge
        }
        caller.cancel()
        let end = try await world.flows.wait(flow.id, owner: World.jo, sinceRev: flow.rev + 1, timeout: .seconds(20))
        #expect(end.state == .succeeded)
    }

    @Test("cancelling during an evaluation takes precedence, and the charge remains") func cancelRace()
        async throws
    {
        let slow = PasswordSlow.hasher
        let world = try World(hasher: slow)
        try await world.signUp()
        let flow = try await world.start().flow
        async let answer = refusal {
            try await world.submit(flow, ["username": "jo@example.org", "password": "Secret123"])
        }
        try await waitUntil("the answer is evaluated") {
            try await world.flows.get(flow.id, owner: World.jo).state != .challenge
        }
        let ended = try await world.flows.cancel(flow.id, caller: Caller(owner: World.jo))
        let refused = await answer
        if ended.state == .cancelled {
            #expect(refused?.reason == .flowFinished)
            #expect(try await world.flows.get(flow.id, owner: World.jo).state == .cancelled)
        } else {
            #expect(refused == nil)
        }
    }
}
