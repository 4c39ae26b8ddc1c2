import AuthorityStore
import FlowModel
import Moments
import OAuth
import Policies
import Synchronization
import TestSupport
import Testing

@testable import Flows

/// Tests how keys of `checks.yaml` affect the flow engine.
@Suite(.timeLimit(.minutes(2)), .indexedStatements)
struct CheckFileTests {
    /// Creates a world whose `checks.yaml` and sign-in policy contain these settings.
    private func world(
        pin: String = "",
        login: String = "",
        signIn: String = "",
        order: String = "{}"
    ) throws -> World {
        let checks = """
            checks:
              Pin: {type: pin\(pin.isEmpty ? "" : ", " + pin)}
              UserLogin: {type: password\(login.isEmpty ? "" : ", " + login)}
              EmailCode: {type: emailCode}
            order: \(order)
            """
        let attributes = "attributes: [{name: email}, {name: displayName}]"
        let (catalogue, problems) = PolicyCatalogue.load(files: [
            .init(path: "p/checks.yaml", text: checks),
            .init(path: "p/b2c_1_sign_in.yaml", text: "kind: sign-in\n\(signIn)\n"),
            .init(path: "p/b2c_1_sign_up.yaml", text: "kind: sign-up\n\(attributes)\n"),
        ])
        let loaded = try #require(catalogue, "\(problems)")
        let world = try World()
        world.catalogue.withLock { $0 = loaded }
        return world
    }

    private func stepUp(_ world: World, _ person: FlowOutcome) async throws -> Flow {
        let requirement = Requirement(checks: ["Pin"], user: .user(person.user), session: person.session)
        return try await world.start(requirement: requirement).flow
    }

    /// Signs up a user, and then sets the user's PIN.
    private func enrolled(_ world: World, _ pin: String = "246802") async throws -> FlowOutcome {
        let person = try await world.signUp()
        let setup = try await world.submit(try await stepUp(world, person), ["password": "Secret123"])
        #expect(try await world.submit(setup.flow, ["pin": .string(pin)]).flow.state == .succeeded)
        return person
    }

    /// Submits wrong PINs until the flow fails, and returns the waiting time in milliseconds.
    private func block(_ world: World, _ person: FlowOutcome) async throws -> Int64? {
        var flow = try await stepUp(world, person)
        for _ in 0..<20 where flow.state == .challenge { flow = try await world.submit(flow, ["pin": "135791"]).flow }
        #expect(flow.state == .failed(.blocked))
        return flow.retryAfterMs
    }

    @Test("`maxAttempts` is shown at a step and limits the wrong PINs", arguments: [1, 2, 5])
    func attempts(_ most: Int) async throws {
        let world = try world(pin: "maxAttempts: \(most)")
        let person = try await enrolled(world)
        var flow = try await stepUp(world, person)
        for left in (1...most).reversed() {
            #expect(flow.step?.attempts == AttemptsLeft(remaining: left, max: most))
            flow = try await world.submit(flow, ["pin": "135791"]).flow
        }
        #expect(flow.state == .failed(.blocked))
    }

    @Test("lowering `maxAttempts` while the daemon runs leaves a user who has reached it one answer, which blocks")
    func loweredAttempts() async throws {
        let world = try world(pin: "maxAttempts: 5")
        let person = try await enrolled(world)
        var flow = try await stepUp(world, person)
        for _ in 0..<3 { flow = try await world.submit(flow, ["pin": "135791"]).flow }
        #expect(flow.step?.attempts == AttemptsLeft(remaining: 2, max: 5))
        let lowered = try self.world(pin: "maxAttempts: 3").catalogue.withLock { $0 }
        world.catalogue.withLock { $0 = lowered }
        flow = try await stepUp(world, person)
        #expect(flow.step?.attempts == AttemptsLeft(remaining: 1, max: 3))
        flow = try await world.submit(flow, ["pin": "135791"]).flow
        #expect(flow.state == .failed(.blocked) && flow.retryAfterMs == 60_000)
        #expect(await refusal { try await stepUp(world, person) }?.reason == .blocked)
    }

    @Test("`attemptingStateExpirationSec` limits a step, and the flow continues with a new one") func waits()
        async throws
    {
        let world = try world(pin: "attemptingStateExpirationSec: 30")
        let person = try await enrolled(world)
        let flow = try await stepUp(world, person)
        #expect(flow.stepExpiresAt == world.clock.now.wall + 30_000)
        world.clock.advance(by: .seconds(30))
        #expect(await refusal { try await world.submit(flow, ["pin": "246802"]) }?.reason == .expiredStep)
        let next = try await world.flows.get(flow.id, owner: World.jo)
        #expect(try await world.submit(next, ["pin": "246802"]).verdict == .accepted)
    }

    @Test("`blockedStateExpirationSec` is the first block, and `blockedBackoff` determines the next ones")
    func blocks() async throws {
        let world = try world(
            pin: "maxAttempts: 1, blockedStateExpirationSec: 10, blockedBackoff: {factor: 3, maxSec: 70}"
        )
        var person = try await enrolled(world)
        for seconds: Int64 in [10, 30, 70, 70] {
            #expect(try await block(world, person) == seconds * 1000)
            world.clock.advance(by: .seconds(seconds))
            // The block has removed the PIN, so the user sets a new one.
            let known = try await world.submit(try await stepUp(world, person), ["password": "Secret123"])
            let done = try await world.submit(known.flow, ["pin": "246802"])
            person = try #require(done.finished)
        }
    }

    @Test("with `blockedStateExpirationSec` 0 wrong PINs block no user and remove no PIN")
    func unlimited() async throws {
        let world = try world(pin: "maxAttempts: 2, blockedStateExpirationSec: 0")
        let person = try await enrolled(world)
        var flow = try await stepUp(world, person)
        for _ in 0..<6 {
            #expect(flow.step?.type == .pin)
            flow = try await world.submit(flow, ["pin": "135791"]).flow
        }
        #expect(flow.state == .challenge)
        #expect(try await world.submit(flow, ["pin": "246802"]).verdict == .accepted)
    }

    @Test("`dailyLimit` locks a user after wrong passwords from all uids, except at origins with an earlier sign-in")
    func daily() async throws {
        let world = try world(login: "maxAttempts: 2, dailyLimit: 2")
        try await world.signUp()
        for uid: UInt32 in [2001, 2002] {
            let wrong = try await world.signIn("Wrong-\(uid)", owner: .local(machine: "m", uid: uid))
            #expect(wrong.verdict == .rejected)
        }
        let refused = await refusal {
            try await world.signIn("Secret123", owner: .local(machine: "m", uid: 2003))
        }
        #expect(refused?.reason == .blocked && refused?.retryAfterMs == 86_400_000)
        #expect(try await world.signIn("Secret123").flow.state == .succeeded)
    }

    @Test("`dailyLimit` does not lock a PIN for the uid that set it, but `maxAttempts` does") func dailyPIN()
        async throws
    {
        let world = try world(pin: "maxAttempts: 3, dailyLimit: 3")
        let person = try await enrolled(world)
        var flow = try await stepUp(world, person)
        for _ in 0..<2 { flow = try await world.submit(flow, ["pin": "135791"]).flow }
        #expect(try await world.submit(flow, ["pin": "246802"]).verdict == .accepted)
        #expect(try await block(world, person) == 60_000)
    }

    @Test("`minLength` and `digitsOnly` apply to a new PIN") func rule() async throws {
        let world = try world(pin: "minLength: 6, digitsOnly: false")
        let person = try await world.signUp()
        let setup = try await world.submit(try await stepUp(world, person), ["password": "Secret123"]).flow
        #expect(setup.step?.nodes.first?.minLength == 6 && setup.step?.nodes.first?.pattern == nil)
        let short = await refusal { try await world.submit(setup, ["pin": "12345"]) }
        #expect(short?.nodes.map(\.code) == [.tooShort])
        #expect(try await world.submit(setup, ["pin": "abcdef"]).verdict == .accepted)
    }

    @Test("`acr` and `amr` are those of a passed PIN check") func context() async throws {
        let world = try world(pin: "acr: gold, amr: [pin, hwk]")
        _ = try await enrolled(world)
        let proofs = try #require(try await world.store.sessions.live(owner: World.jo).first).proofs
        let proof = try #require(proofs.first { $0.check == "Pin" })
        #expect(proof.acr == "gold" && proof.amr == ["pin", "hwk"])
    }

    @Test("checks run in the order of the file, each after those that `order` names") func order() async throws {
        let both = "signInChecks: [UserLogin, EmailCode]"
        let plain = try await world(signIn: both).start().flow
        #expect(plain.step?.type == .password)
        let turned = try world(signIn: both, order: "{UserLogin: {after: [EmailCode]}}")
        try await turned.signUp()
        let first = try await turned.start().flow
        #expect(first.step?.type == .identifier)
        let mailed = try await turned.submit(first, ["username": "jo@example.org"]).flow
        #expect(mailed.step?.check == "EmailCode")
        let code = try #require(try await turned.code())
        let second = try await turned.submit(mailed, ["code": .string(code)])
        #expect(second.flow.step?.type == .password && second.flow.step?.check == "UserLogin")
        #expect(try await turned.submit(second.flow, ["password": "Secret123"]).flow.state == .succeeded)
    }

    @Test(
        "a PIN that precedes the password in the file runs after it if `order` requires this, and a scope may require both"
    )
    func both() async throws {
        let order = "{Pin: {after: [UserLogin]}}"
        let world = try world(signIn: "scopes: {transferPrivilege: [Pin, UserLogin]}", order: order)
        let person = try await enrolled(world)
        let requirement = Requirement(checks: ["UserLogin", "Pin"], user: .user(person.user), session: person.session)
        let asked = try await world.start(requirement: requirement).flow
        #expect(asked.step?.type == .password)
        let pin = try await world.submit(asked, ["password": "Secret123"])
        #expect(pin.verdict == .next && pin.flow.step?.type == .pin)
        #expect(try await world.submit(pin.flow, ["pin": "246802"]).verdict == .accepted)
    }

    @Test("`mandatoryScope` is required at every sign-in of its policy, after the sign-in checks") func mandatory()
        async throws
    {
        let world = try world(signIn: "mandatoryScope: [Pin]")
        _ = try await world.signUp()
        let asked = try await world.signIn("Secret123")
        #expect(asked.verdict == .next && asked.flow.step?.type == .pinSetup)
        #expect(try await world.submit(asked.flow, ["pin": "246802"]).flow.state == .succeeded)
        let again = try await world.signIn("Secret123")
        #expect(again.verdict == .next && again.flow.step?.type == .pin)
        #expect(try await world.submit(again.flow, ["pin": "135791"]).verdict == .rejected)
    }

    @Test("`password.expireAfterDays` requires a new password when the current one has that age") func expiry()
        async throws
    {
        let world = try world(signIn: "password: {expireAfterDays: 30}")
        try await world.signUp()
        world.clock.advance(by: .seconds(30 * 86_400 - 60))
        #expect(try await world.signIn("Secret123").flow.state == .succeeded)
        world.clock.advance(by: .seconds(120))
        let asked = try await world.signIn("Secret123")
        #expect(asked.flow.step?.type == .newPassword && asked.flow.step?.messages.map(\.code) == ["password.expired"])
    }
}
