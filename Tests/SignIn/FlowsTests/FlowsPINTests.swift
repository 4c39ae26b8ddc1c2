import Attempts
import AuthorityStore
import Credentials
import FlowModel
import Foundation
import Localization
import OAuth
import Policies
import TestSupport
import Testing

@testable import Flows

/// Tests PINs and their attempt limits, with the flow engine.
@Suite(.timeLimit(.minutes(2)), .indexedStatements)
struct FlowsPINTests {
    private static let check = Check(name: "PinCodeAttempts", type: .pin)

    private func world() throws -> World { try World(checks: Samples.checks + [Self.check]) }

    /// Starts a flow that prompts a signed-in user for the PIN.
    private func stepUp(_ world: World, _ person: FlowOutcome, owner: Owner = World.jo) async throws -> Flow {
        let requirement = Requirement(checks: ["PinCodeAttempts"], user: .user(person.user), session: person.session)
        return try await world.start(owner: owner, requirement: requirement).flow
    }

    /// Sets a PIN in a flow that requires a PIN.
    private func enrol(_ pin: String, _ world: World, _ person: FlowOutcome, owner: Owner = World.jo) async throws {
        let asked = try await stepUp(world, person, owner: owner)
        #expect(asked.step?.type == .password)
        let known = try await world.submit(asked, ["password": "Secret123"], owner: owner)
        #expect(known.flow.step?.type == .pinSetup)
        let done = try await world.submit(known.flow, ["pin": .string(pin)], owner: owner)
        #expect(done.verdict == .accepted && done.flow.state == .succeeded)
    }

    private func answer(_ pin: String, _ world: World, _ person: FlowOutcome) async throws -> SubmissionResult {
        try await world.submit(try await stepUp(world, person), ["pin": .string(pin)])
    }

    @Test("a PIN is set once, then prompted for, and stored as a hash") func setAndAsked() async throws {
        let world = try world()
        let person = try await world.signUp()
        try await enrol("2468", world, person)
        let flow = try await stepUp(world, person)
        #expect(flow.step?.type == .pin && flow.step?.attempts == AttemptsLeft(remaining: 3, max: 3))
        let wrong = try await world.submit(flow, ["pin": "8642"])
        #expect(wrong.verdict == .rejected && wrong.flow.step?.attempts == AttemptsLeft(remaining: 2, max: 3))
        let right = try await world.submit(wrong.flow, ["pin": "2468"])
        #expect(right.verdict == .accepted)
        // A right answer restores all attempts.
        #expect(try await stepUp(world, person).step?.attempts?.remaining == 3)
        let stored = try #require(try await world.store.enrolments.find(.pin, of: person.user, at: World.jo))
        #expect(stored.secret.reveal().hasPrefix("$argon2id$") && !stored.secret.reveal().contains("2468"))
        #expect(try await world.events().contains("credential.enrolled"))
    }

    @Test("the wrong PIN that blocks removes the PIN, and after the block a new one is set") func blocked()
        async throws
    {
        let world = try world()
        let person = try await world.signUp()
        try await enrol("2468", world, person)
        let other = try await stepUp(world, person)
        var now = try await stepUp(world, person)
        for _ in 0..<2 { now = try await world.submit(now, ["pin": "0000"]).flow }
        let call = CorrelationID.random()
        let last = try await world.submit(now, ["pin": "0000"], correlationID: call)
        #expect(last.verdict == .rejected && last.flow.state == .failed(.blocked) && last.flow.retryAfterMs == 60_000)
        #expect(try await world.store.enrolments.find(.pin, of: person.user, at: World.jo) == nil)
        let removed = try await world.store.audit.all(since: 0, limit: 1000).filter { $0.event == "credential.removed" }
        #expect(removed.count == 1 && removed.first?.detail["reason"] == "blocked")
        #expect(removed.first?.correlationID == call.description)
        // During the block, right and wrong answers are refused without evaluation, and no new PIN can be set.
        let hashes = world.hasher.computations
        #expect(await refusal { try await world.submit(other, ["pin": "2468"]) }?.reason == .blocked)
        #expect(await refusal { try await stepUp(world, person) }?.reason == .blocked)
        #expect(world.hasher.computations == hashes)
        try world.reopen()
        #expect(await refusal { try await stepUp(world, person) }?.reason == .blocked)
        world.clock.advance(by: .seconds(61))
        try await enrol("1357", world, person)
        #expect(try await answer("1357", world, person).verdict == .accepted)
    }

    @Test("of simultaneous answers to many flows no more are compared than the budget allows") func together()
        async throws
    {
        let world = try world()
        let person = try await world.signUp()
        try await enrol("2468", world, person)
        var flows: [Flow] = []
        for _ in 0..<8 { flows.append(try await stepUp(world, person)) }
        let hashes = world.hasher.computations
        let verdicts = await withTaskGroup(of: Verdict?.self) { group in
            for flow in flows {
                group.addTask { try? await world.submit(flow, ["pin": "0000"]).verdict }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(world.hasher.computations - hashes == 3)
        #expect(verdicts.filter { $0 == .rejected }.count == 3)
    }

    @Test("a PIN belongs to one uid: another uid of the same user sets its own, and each is independent")
    func otherUID()
        async throws
    {
        let world = try world()
        let person = try await world.signUp()
        try await enrol("2468", world, person)
        let there = try #require(try await world.signIn("Secret123", owner: World.ann).finished)
        try await enrol("1357", world, there, owner: World.ann)
        let flow = try await stepUp(world, there, owner: World.ann)
        #expect(try await world.submit(flow, ["pin": "2468"], owner: World.ann).verdict == .rejected)
        #expect(try await answer("2468", world, person).verdict == .accepted)
        try await world.store.users.delete(person.user)
        #expect(try await world.store.enrolled(of: person.user, at: World.ann).isEmpty)
    }

    @Test("a new account sets its PIN at sign-up, if every token requires one") func atSignUp() async throws {
        let policy = Policy(
            id: try PolicyID("b2c_1_sign_up"),
            kind: .signUp,
            attributes: Samples.attributeRules,
            mandatoryScope: ["PinCodeAttempts"]
        )
        let world = try World(policies: [policy], checks: Samples.checks + [Self.check])
        let asked = try await world.submit(try await world.start(.signUp).flow, Samples.attributes)
        let code = try #require(try await world.code())
        let setup = try await world.submit(asked.flow, ["code": .string(code)])
        #expect(setup.flow.step?.type == .pinSetup)
        let done = try await world.submit(setup.flow, ["pin": "2468"])
        let user = try #require(done.finished?.user)
        #expect(try await world.store.enrolled(of: user, at: World.jo).map(\.credential) == [.pin])
    }

    @Test("a program that does not display the PIN setup step gets an error when a new PIN is needed, and only then")
    func unshown()
        async throws
    {
        let world = try world()
        let person = try await world.signUp()
        let requirement = Requirement(checks: ["PinCodeAttempts"], user: .user(person.user), session: person.session)
        let steps = Presentation(steps: [.password, .pin])
        let refused = await refusal { try await world.start(requirement: requirement, presentation: steps) }
        #expect(refused?.reason == .unsupportedStep && refused?.message.contains("pin_setup") == true)
        try await enrol("2468", world, person)
        let flow = try await world.start(requirement: requirement, presentation: steps).flow
        #expect(flow.step?.type == .pin)
    }

    private func removals(_ world: World) async throws -> [String?] {
        try await world.store.audit.all(since: 0, limit: 1000).filter { $0.event == "credential.removed" }
            .map { $0.detail["reason"] }
    }

    /// Charges answers until the check is blocked, without comparing any answer.
    ///
    /// A program that is killed after the last charge leaves the same state, even if the answers were compared.
    private func chargeAll(_ world: World, _ person: FlowOutcome) async throws {
        let name = EnrolmentName(.pin, of: person.user, at: World.jo)
        for _ in 0..<3 {
            _ = try await Attempts(store: world.store).charge(
                check: CheckBudget(Self.check),
                subject: .user(person.user),
                origin: World.jo.origin,
                withholding: name
            )
        }
    }

    @Test("a program that ends after the charge that blocks leaves a PIN that is neither listed nor accepted")
    func cutOff() async throws {
        let world = try world()
        let person = try await world.signUp()
        try await enrol("2468", world, person)
        let old = try await stepUp(world, person)
        try await chargeAll(world, person)
        try world.reopen()
        #expect(try await world.store.enrolled(of: person.user, at: World.jo).isEmpty)
        #expect(await refusal { try await world.submit(old, ["pin": "2468"]) }?.reason == .blocked)
        world.clock.advance(by: .seconds(61))
        let hashes = world.hasher.computations
        let answered = try await world.submit(old, ["pin": "2468"])
        #expect(answered.verdict == .next && answered.flow.step?.type == .password)
        #expect(world.hasher.computations == hashes)
        #expect(try await removals(world) == ["blocked"])
        try await enrol("1357", world, person)
        #expect(try await answer("1357", world, person).verdict == .accepted)
    }

    @Test("the claim of the last answer removes the PIN, before anything is compared") func claimed() async throws {
        let world = try world()
        let person = try await world.signUp()
        try await enrol("2468", world, person)
        var flow = try await stepUp(world, person)
        for _ in 0..<2 { flow = try await world.submit(flow, ["pin": "1111"]).flow }
        #expect(flow.step?.attempts?.isLast == true)
        try await world.claim(flow, ["pin": "2468"])
        try world.reopen()
        #expect(try await world.store.enrolled(of: person.user, at: World.jo).isEmpty)
    }

    @Test("a new flow finds and removes the PIN that an ended program left behind") func foundLater() async throws {
        let world = try world()
        let person = try await world.signUp()
        try await enrol("2468", world, person)
        try await chargeAll(world, person)
        try world.reopen()
        #expect(try await removals(world).isEmpty)
        world.clock.advance(by: .seconds(61))
        #expect(try await stepUp(world, person).step?.type == .password)
        #expect(try await removals(world) == ["blocked"])
        _ = try await stepUp(world, person)
        #expect(try await removals(world) == ["blocked"])
    }

    @Test("the right PIN as the last answer keeps the PIN, even if its flow is cancelled during the comparison")
    func cancelledAtLast() async throws {
        let world = try world()
        let person = try await world.signUp()
        try await enrol("2468", world, person)
        var now = try await stepUp(world, person)
        for _ in 0..<2 { now = try await world.submit(now, ["pin": "0000"]).flow }
        let answer = try await world.claimed(now, ["pin": "2468"])
        #expect(try await world.store.enrolments.find(.pin, of: person.user, at: World.jo) == nil)
        try await world.flows.cancelAll(owner: World.jo)
        let machine = try #require(answer.flow.machine)
        let refused = await refusal {
            try await world.flows.engine.evaluate(
                answer.work,
                begun: answer.run,
                answer.flow,
                machine,
                concluding: nil as Conclude<Never>?,
                Caller(owner: World.jo)
            )
        }
        #expect(refused?.reason == .flowFinished)
        #expect(try await world.store.enrolments.find(.pin, of: person.user, at: World.jo) != nil)
        world.clock.advance(by: .seconds(61))
        #expect(try await self.answer("2468", world, person).verdict == .accepted)
    }

    @Test("the right PIN as the last answer keeps the PIN, even if the program ends before the budget is restored")
    func rightAtLast() async throws {
        let world = try world()
        let person = try await world.signUp()
        try await enrol("2468", world, person)
        var now = try await stepUp(world, person)
        for _ in 0..<2 { now = try await world.submit(now, ["pin": "0000"]).flow }
        #expect(try await world.submit(now, ["pin": "2468"]).verdict == .accepted)
        #expect(try await world.store.enrolled(of: person.user, at: World.jo).map(\.credential) == [.pin])
        try await chargeAll(world, person)
        let withheld = try await world.store.enrolments.findWithheld(.pin, of: person.user, at: World.jo)
        try await world.store.enrolments.giveBack(try #require(withheld))
        try world.reopen()
        #expect(await refusal { try await stepUp(world, person) }?.reason == .blocked)
        world.clock.advance(by: .seconds(61))
        #expect(try await answer("2468", world, person).verdict == .accepted)
        #expect(try await removals(world).isEmpty)
    }
}
