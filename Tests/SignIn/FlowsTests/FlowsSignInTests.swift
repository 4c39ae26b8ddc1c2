import AuthorityStore
import Credentials
import Crypto
import FlowModel
import Foundation
import Localization
import Moments
import OAuth
import Policies
import Storage
import TestSupport
import Testing

@testable import Attempts
@testable import Flows

@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct FlowsSignInTests {
    @Test("a user who signed up can sign in, which creates a session") func signIn() async throws {
        let world = try World()
        let made = try await world.signUp()
        let result = try await world.signIn("Secret123")
        #expect(result.verdict == .accepted)
        #expect(result.flow.state == .succeeded)
        #expect(result.finished?.user == made.user)
        #expect(result.finished?.displayName == "Jo")
        let sessions = try await world.store.sessions.live(owner: World.jo, user: made.user)
        #expect(sessions.count == 2)
        #expect(sessions.contains { $0.id == result.finished?.session && $0.scope == .tenant })
        #expect(try await world.store.sessions.live(owner: World.ann).isEmpty)
    }

    @Test("three wrong passwords block all further answers, in every flow and after a restart") func blocked()
        async throws
    {
        let world = try World()
        try await world.signUp()
        let other = try await world.start().flow
        var flow = try await world.start().flow
        for left in [2, 1] {
            let result = try await world.submit(flow, ["username": "jo@example.org", "password": "wrong-\(left)"])
            #expect(result.verdict == .rejected)
            #expect(result.flow.step?.attempts == AttemptsLeft(remaining: left, max: 3))
            flow = result.flow
        }
        let last = try await world.submit(flow, ["username": "jo@example.org", "password": "wrong"])
        #expect(last.verdict == .rejected)
        #expect(last.flow.state == .failed(.blocked))
        #expect(last.flow.retryAfterMs == 10_000)

        let before = world.hasher.computations
        let right: [String: JSONValue] = ["username": "jo@example.org", "password": "Secret123"]
        let elsewhere = await refusal { try await world.submit(other, right) }
        #expect(elsewhere?.reason == .blocked)
        #expect(elsewhere?.retryAfterMs == 10_000)
        #expect(elsewhere?.facts[.check] == "UserLogin")
        try world.reopen()
        world.clock.setWall(by: .seconds(300))
        let again = try await world.start().flow
        #expect(await refusal { try await world.submit(again, right) }?.reason == .blocked)
        let required = Requirement(user: .signInName("JO@example.org"))
        #expect(await refusal { try await world.start(requirement: required) }?.reason == .blocked)
        #expect(world.hasher.computations == before)

        world.clock.advance(by: .milliseconds(10_000))
        #expect(try await world.submit(again, right).verdict == .accepted)
    }

    @Test("an unknown name is locked exactly like a known one, with the same work and the same commits")
    func unknownLooksKnown() async throws {
        let world = try World()
        try await world.signUp()
        var seen: [[String]] = []
        for name in ["jo@example.org", "nobody@example.org"] {
            var steps: [String] = []
            var flow = try await world.start().flow
            for guess in ["wrong", "wrong", "wronger", "wrongest"] {
                let hashes = world.hasher.computations
                let commits = try world.commits()
                let result = try await world.submit(flow, ["username": .string(name), "password": .string(guess)])
                flow = result.flow
                let text = flow.step?.messages.map(\.text).joined() ?? ""
                steps.append(
                    """
                    \(flow.state) \(flow.rev) \(result.verdict) \(text) \(String(describing: flow.retryAfterMs)) \
                    \(String(describing: flow.step?.attempts)) \(world.hasher.computations - hashes) hashes \
                    \(try world.commits() - commits) commits
                    """
                )
            }
            seen.append(steps)
        }
        #expect(seen[0] == seen[1])
        #expect(seen[0][0].hasSuffix("1 hashes 3 commits"))
        #expect(seen[0][1].contains("remaining: 2") && seen[0][3].contains("blocked"), "\(seen[0])")
    }

    @Test(
        "repeating a wrong password does not count, even after a restart or for an unknown name, but another one does",
        arguments: ["jo@example.org", "nobody@example.org"]
    )
    func repeated(_ name: String) async throws {
        let world = try World()
        try await world.signUp()
        func left(_ guess: String) async throws -> Int? {
            let flow = try await world.start().flow
            let result = try await world.submit(flow, ["username": .string(name), "password": .string(guess)])
            #expect(result.verdict == .rejected)
            let left = result.flow.step?.attempts?.remaining
            _ = try await world.flows.cancel(flow.id, caller: Caller(owner: World.jo))
            return left
        }
        for _ in 0..<5 { #expect(try await left("wrong") == 2) }
        try world.reopen()
        #expect(try await left("wrong") == 2)
        #expect(try await left("wronger") == 1)
        #expect(try await left("wronger") == 1)
        // An answer that repeats the previous wrong password is not counted, so it does not cause a block.
        for _ in 0..<3 { #expect(try await left("wronger") == 1) }
        #expect(try await left("wrong") == nil)
        #expect(await refusal { try await left("wrong") }?.reason == .blocked)
        world.clock.advance(by: .seconds(26 * 3600))
        #expect(try await left("wrong") == 2)
        #expect(try await left("wrong") == 2)
        #expect(try await left("wronger") == 1)
    }

    @Test("a wrong password that is set in the meantime is right, and earlier wrong ones count again")
    func setMeanwhile()
        async throws
    {
        let world = try World()
        try await world.signUp()
        #expect(try await world.signIn("Other-secret-7").verdict == .rejected)
        let person = try #require(try await world.store.users.find(signInName: "jo@example.org"))
        let pepper = world.store.derived.pepper
        let hash = try await world.hasher.hash(Secret("Other-secret-7"), pepper: pepper, in: try world.hasher.reserve())
        try await world.store.users.rehash(person.id, from: try #require(person.passwordHash), to: hash)
        #expect(try await world.signIn("Other-secret-7").verdict == .accepted)
        let again = try await world.signIn("Secret123")
        #expect(again.flow.step?.attempts?.remaining == 2)
    }

    @Test("a disabled user looks like a wrong password") func disabled() async throws {
        let world = try World()
        let made = try await world.signUp()
        try await world.store.users.setEnabled(made.user, false)
        let before = world.hasher.computations
        let result = try await world.signIn("Secret123")
        #expect(result.verdict == .rejected)
        #expect(result.flow.step?.messages.map(\.code) == ["credentials.wrong"])
        #expect(world.hasher.computations == before + 1)
    }

    @Test("a right password refunds its charge") func givenBack() async throws {
        let world = try World()
        try await world.signUp()
        for _ in 0..<5 {
            let flow = try await world.start().flow
            let wrong = try await world.submit(flow, ["username": "jo@example.org", "password": "wrong"])
            #expect(wrong.flow.step?.attempts?.remaining == 2)
            let right = try await world.submit(wrong.flow, ["username": "jo@example.org", "password": "Secret123"])
            #expect(right.verdict == .accepted)
        }
    }

    @Test("of 50 simultaneous answers to 8 flows of one uid, three are verified") func fifty() async throws {
        let world = try World()
        try await world.signUp()
        var flows: [Flow] = []
        for _ in 0..<8 { flows.append(try await world.start().flow) }
        let before = world.hasher.computations
        let all = flows
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<50 {
                group.addTask {
                    _ = try? await world.submit(
                        all[index % 8],
                        ["username": "jo@example.org", "password": "wrong-\(index)"]
                    )
                }
            }
        }
        #expect(world.hasher.computations - before == 3)
    }

    @Test(
        "with 7 uids and 50 flows at most three answers per uid and 20 in total count, and a known user is not locked out"
    )
    func manyOrigins() async throws {
        let world = try World()
        try await world.signUp("ann@example.org", owner: World.ann)
        _ = try await world.signIn("Secret123", as: "ann@example.org", owner: World.ann)
        var flows: [(Owner, Flow)] = []
        for index in 0..<50 {
            let owner = Owner.local(machine: "m", uid: UInt32(2000 + index % 7))
            flows.append((owner, try await world.start(owner: owner).flow))
        }
        let before = world.hasher.computations
        let all = flows
        await withTaskGroup(of: Void.self) { group in
            for (index, (owner, flow)) in all.enumerated() {
                group.addTask {
                    let answers: [String: JSONValue] = ["username": "ann@example.org", "password": "wrong-\(index)"]
                    _ = try? await world.submit(flow, answers, owner: owner)
                }
            }
        }
        #expect(world.hasher.computations - before <= 20)
        #expect(world.hasher.computations - before >= 3)
        let own = try await world.signIn("Secret123", as: "ann@example.org", owner: World.ann)
        #expect(own.verdict == .accepted)
    }

    @Test("an answer that is sent ten times at once is evaluated once") func tenTimes() async throws {
        let world = try World()
        try await world.signUp()
        let flow = try await world.start().flow
        let before = world.hasher.computations
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<10 {
                group.addTask {
                    let answers: [String: JSONValue] = ["username": "jo@example.org", "password": "wrong"]
                    _ = try? await world.submit(flow, answers, id: "same")
                }
            }
        }
        #expect(world.hasher.computations == before + 1)
        let again = try await world.submit(flow, ["password": "Secret123"], id: "same")
        #expect(again.verdict == .rejected)
        #expect(again.flow.step?.attempts?.remaining == 2)
    }

    @Test("a full queue is 1013, and nothing is charged or refunded") func busy() async throws {
        let world = try World(hasher: PasswordHasher(jobs: 1, queue: 0, parameters: World.cheap))
        try await world.signUp()
        let wrong: [String: JSONValue] = ["username": "jo@example.org", "password": "wrong"]
        let right: [String: JSONValue] = ["username": "jo@example.org", "password": "Secret123"]
        let other = try await world.start().flow
        var flow = try await world.start().flow
        for guess in ["wrong-1", "wrong-2"] {
            flow = try await world.submit(flow, ["username": "jo@example.org", "password": .string(guess)]).flow
        }
        #expect(flow.step?.attempts?.remaining == 1)
        let before = try await budget(world)

        let place = try world.hasher.reserve()
        var busy: [Refusal] = []
        for _ in 0..<3 {
            if let refused = await refusal({ try await world.submit(flow, wrong) }) { busy.append(refused) }
            flow = try await world.flows.get(flow.id, owner: World.jo)
        }
        place.release()
        #expect(!busy.isEmpty)
        #expect(busy.count == 3)
        #expect(busy.allSatisfy { $0.reason == .limitExceeded && $0.facts[.limit] == "kdfQueue" })
        #expect(busy.allSatisfy { $0.retryAfterMs != nil })
        #expect(try await budget(world) == before)
        #expect(before.used == 2)
        // The origin where the user signed up counts as known.
        #expect(try await budget(world, under: nil).proven)

        let hashes = world.hasher.computations
        #expect(try await world.submit(flow, wrong).flow.state == .failed(.blocked))
        #expect(await refusal { try await world.submit(other, right) }?.reason == .blocked)
        #expect(world.hasher.computations == hashes + 1)
        #expect(try await budget(world, under: nil).proven)
    }

    /// Returns the stored budget for Jo's wrong passwords under a name, or under no name.
    private func budget(_ world: World, under name: String? = "jo@example.org") async throws -> Budget {
        let user = try #require(try await world.store.users.find(signInName: "jo@example.org"))
        let key = SymmetricKey(data: world.store.derived.lockKey.revealBytes())
        let check = CheckBudget(Samples.checks[0])
        let budgets = AttemptBudgets(
            check: check,
            subject: name.map { .typed($0, user.id) } ?? .user(user.id),
            origin: World.jo.origin,
            key: key
        )
        return try #require(
            try await world.store.attempts.peek([budgets.charges[AttemptBudgets.own].key], at: World.jo.origin.levels)
                .budgets
                .first
        )
    }

    @Test("a right answer for a hash with other costs computes one hash") func oneHash() async throws {
        let world = try World()
        try await world.signUp()
        let dearer = PasswordHasher(parameters: Argon2Parameters(memory: 128, passes: 1, lanes: 1))
        world.restart(hasher: dearer)
        _ = try await world.start()
        let row = try #require(try await world.store.flows.list(owner: World.jo).first)
        let record = try world.flows.engine.rows.read(row).record
        let work = Evaluation.password(
            name: "jo@example.org",
            password: Secret("Secret123"),
            check: Samples.checks[0]
        )
        let result = await world.flows.engine.rows.evaluator.run(work, record, for: Caller(owner: World.jo))
        #expect(result.stale != nil)
        #expect(dearer.computations == 1)
    }

    @Test("a hash with other costs is renewed after a sign-in") func rehash() async throws {
        let world = try World()
        let made = try await world.signUp()
        let old = try await world.store.users.get(made.user)?.passwordHash
        let dearer = Argon2Parameters(memory: 128, passes: 1, lanes: 1)
        world.restart(hasher: PasswordHasher(parameters: dearer))
        #expect(try await world.signIn("Secret123").verdict == .accepted)
        var new = old
        try await waitUntil("the password has another hash") {
            new = try await world.store.users.get(made.user)?.passwordHash
            return new != old
        }
        #expect(new?.reveal().contains("m=128,") == true)
        #expect(try await world.signIn("Secret123").verdict == .accepted)
    }

    @Test("the result is bound to the pending request, which the authority completes once") func pending() async throws
    {
        let world = try World()
        let made = try await world.signUp()
        let request = PendingRequest(
            id: "r-1",
            owner: World.jo,
            client: "tasks-cli",
            policy: "b2c_1_sign_in",
            body: Data("{}".utf8),
            expires: Deadline(.seconds(900), after: world.clock.now)
        )
        let flow = try await world.start(pending: request).flow
        let unmet = await #expect(throws: StoreError.self) {
            try await world.store.requests.peek("r-1", owner: World.jo)
        }
        #expect(unmet?.code == .notFound)
        let result = try await world.submit(flow, ["username": "jo@example.org", "password": "Secret123"])
        #expect(result.finished?.pendingRequest == "r-1")
        let met = try await world.store.requests.peek("r-1", owner: World.jo)
        #expect(met.authentication.user == made.user)
        #expect(met.authentication.amr == ["pwd"])
        #expect(met.authentication.authTime == world.clock.now.wall)
    }

    @Test("a flow that continues from a session runs only the missing checks, and the session gains them")
    func fromSession()
        async throws
    {
        let world = try World()
        try await world.signUp()
        let session = try #require(try await world.signIn("Secret123").finished?.session)
        let user = try #require(try await world.store.sessions.live(owner: World.jo).first).user
        let requirement = Requirement(checks: ["EmailCode"], user: .user(user), session: session)
        let flow = try await world.start(requirement: requirement).flow
        #expect(flow.step?.type == .code)
        let code = try #require(try await world.code())
        let result = try await world.submit(flow, ["code": .string(code)])
        #expect(result.finished?.session == session)
        let row = try await world.store.sessions.live(owner: World.jo).first { $0.id == session }
        #expect(row?.proofs.map(\.credential) == [.password, .email])
        let gone = Requirement(user: .user(user), session: "another")
        #expect(await refusal { try await world.start(requirement: gone) }?.reason == .interactionRequired)
        let foreign = Requirement(user: .user(user), session: session)
        let elsewhere = await refusal { try await world.start(owner: World.ann, requirement: foreign) }
        #expect(elsewhere?.reason == .interactionRequired)
    }

    @Test("a session older than maxAge does not count") func maxAge() async throws {
        let world = try World()
        let made = try await world.signUp()
        world.clock.advance(by: .seconds(301))
        let requirement = Requirement(maxAge: 300, user: .user(made.user), session: made.session)
        let flow = try await world.start(requirement: requirement).flow
        #expect(flow.step?.type == .password)
        #expect(flow.step?.nodes.first?.value == "jo@example.org")
    }
}
