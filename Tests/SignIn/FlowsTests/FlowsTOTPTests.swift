import AuthorityStore
import Credentials
import FlowModel
import Foundation
import Localization
import Moments
import OAuth
import Policies
import TestSupport
import Testing

@testable import Flows

/// Tests authenticators and recovery codes, with the flow engine.
@Suite(.timeLimit(.minutes(2)), .indexedStatements)
struct FlowsTOTPTests {
    private static let check = Check(name: "Authenticator", type: .totp)

    private func world() throws -> World { try World(checks: Samples.checks + [Self.check]) }

    /// Starts a flow that prompts a signed-in user for the authenticator.
    private func stepUp(
        _ world: World,
        _ person: FlowOutcome,
        owner: Owner = World.jo,
        change: CredentialChange? = nil
    ) async throws -> Flow {
        let requirement = Requirement(
            checks: ["Authenticator"],
            user: .user(person.user),
            session: person.session,
            change: change
        )
        return try await world.start(owner: owner, requirement: requirement).flow
    }

    private func code(_ world: World, _ person: FlowOutcome, later steps: Int64 = 0) async throws -> String {
        let stored = try #require(try await world.store.authenticators.find(person.user))
        return AuthenticatorKey(stored.key).code(step: AuthenticatorKey.step(at: world.clock.now.wall) + steps)
    }

    /// Adds an authenticator in a flow that requires an authenticator, and returns the recovery codes.
    private func enrol(_ world: World, _ person: FlowOutcome) async throws -> [String] {
        let asked = try await stepUp(world, person)
        #expect(asked.step?.type == .password)
        let setup = try await world.submit(asked, ["password": "Secret123"]).flow
        #expect(setup.step?.type == .totpSetup)
        let uri = try #require(setup.step?.nodes.first { $0.kind == .image }?.value)
        let typed = setup.step?.nodes.first { $0.name == "secret" }?.value?.replacing(" ", with: "") ?? "-"
        #expect(uri.hasPrefix("otpauth://totp/Tokenbroker") && uri.contains("secret=\(typed)&") && typed.count == 32)
        let key = AuthenticatorKey(Secret(bytes: Self.decode(typed)))
        let now = AuthenticatorKey.step(at: world.clock.now.wall)
        let wrong = try await world.submit(setup, ["code": .string(key.code(step: now + 5))])
        #expect(wrong.verdict == .rejected && wrong.flow.step?.messages.map(\.code) == ["totp_setup.wrong"])
        let codes = try await world.submit(wrong.flow, ["code": .string(key.code(step: now))]).flow
        #expect(codes.step?.type == .recoveryCodes)
        let shown = (codes.step?.nodes ?? []).filter { $0.kind == .info }.compactMap(\.value)
        #expect(Set(shown).count == 8)
        #expect(try await world.store.authenticators.find(person.user) == nil)
        let refused = await refusal { try await world.submit(codes, ["kept": false]) }
        #expect(refused?.reason == .invalidAnswer)
        let done = try await world.submit(codes, ["kept": true])
        #expect(done.verdict == .accepted && done.flow.state == .succeeded)
        return shown
    }

    private static func decode(_ base32: String) -> [UInt8] {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        var (bytes, held, bits) = ([UInt8](), 0, 0)
        for letter in base32 {
            held = held << 5 | (letters.firstIndex(of: letter) ?? 0)
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(held >> bits & 255))
            }
        }
        return bytes
    }

    @Test("an authenticator is added when it is required, and a code is accepted once") func setAndAsked() async throws
    {
        let world = try world()
        let person = try await world.signUp()
        _ = try await enrol(world, person)
        #expect(try await world.events().contains("credential.enrolled"))
        // The code that was used to add the authenticator is not accepted again.
        let flow = try await stepUp(world, person)
        #expect(flow.step?.type == .totp && flow.step?.attempts?.remaining == 5)
        let replayed = try await world.submit(flow, ["code": .string(try await code(world, person))])
        #expect(replayed.verdict == .rejected && replayed.flow.step?.messages.map(\.code) == ["totp.wrong"])
        #expect(replayed.flow.step?.attempts?.remaining == 4)
        let next = try await code(world, person, later: 1)
        let right = try await world.submit(replayed.flow, ["code": .string(next)])
        #expect(right.verdict == .accepted)
        let again = try await world.submit(try await stepUp(world, person), ["code": .string(next)])
        #expect(again.verdict == .rejected)
    }

    @Test("a recovery code is accepted once, and input that is neither kind of code is not counted") func recovery()
        async throws
    {
        let world = try world()
        let person = try await world.signUp()
        let codes = try await enrol(world, person)
        let flow = try await stepUp(world, person)
        let malformed = await refusal { try await world.submit(flow, ["code": "12345"]) }
        #expect(malformed?.reason == .invalidAnswer)
        let right = try await world.submit(flow, ["code": .string(codes[0].lowercased())])
        #expect(right.verdict == .accepted)
        let again = try await world.submit(try await stepUp(world, person), ["code": .string(codes[0])])
        #expect(again.verdict == .rejected && again.flow.step?.attempts?.remaining == 4)
    }

    @Test("a right code takes two commits, and a kill between them leaves it valid", arguments: [false, true])
    func killed(isRecovery: Bool) async throws {
        let world = try world()
        let person = try await world.signUp()
        let recovery = try await enrol(world, person)[0]
        let code = isRecovery ? recovery : try await code(world, person, later: 1)
        let flow = try await stepUp(world, person)
        try await world.claim(flow, ["code": .string(code)])
        try world.reopen()
        let cut = try await world.flows.get(flow.id, owner: World.jo)
        #expect(cut.step?.messages.map(\.code) == ["evaluation.interrupted"])
        #expect(cut.step?.attempts?.remaining == 4)
        let before = try world.commits()
        #expect(try await world.submit(cut, ["code": .string(code)]).verdict == .accepted)
        #expect(try world.commits() - before == 2)
        let again = try await world.submit(try await stepUp(world, person), ["code": .string(code)])
        #expect(again.verdict == .rejected)
    }

    @Test(
        "if many flows submit one code at once, one accepts it, and it is wrong in the others",
        arguments: [false, true]
    )
    func race(isRecovery: Bool) async throws {
        let world = try world()
        let person = try await world.signUp()
        let recovery = try await enrol(world, person)[0]
        let code = isRecovery ? recovery : try await code(world, person, later: 1)
        var flows: [Flow] = []
        for _ in 0..<4 { flows.append(try await stepUp(world, person)) }
        let results = try await withThrowingTaskGroup(of: SubmissionResult.self) { [flows] group in
            for flow in flows { group.addTask { try await world.submit(flow, ["code": .string(code)]) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.filter { $0.verdict == .accepted }.count == 1)
        let rejected = results.filter { $0.verdict == .rejected }
        #expect(rejected.count == 3 && rejected.allSatisfy { $0.flow.step?.messages.map(\.code) == ["totp.wrong"] })
    }

    @Test("a code that another commit used up after the comparison is wrong", arguments: [false, true])
    func usedMeanwhile(isRecovery: Bool) async throws {
        let world = try world()
        let person = try await world.signUp()
        let recovery = try await enrol(world, person)[0]
        let code = isRecovery ? recovery : try await code(world, person, later: 1)
        let flow = try await stepUp(world, person)
        let other = try await stepUp(world, person)
        let rows = world.flows.engine.rows
        let (_, run, claimed) = try await world.claimed(flow, ["code": .string(code)])
        let evaluated = try await run()
        #expect(evaluated.finding == .right(nil))
        #expect(try await world.submit(other, ["code": .string(code)]).verdict == .accepted)
        let machine = try #require(claimed.machine)
        let next = machine.reduce(claimed.record, .evaluated(evaluated.finding), now: world.clock.now)
        let caller = Caller(owner: World.jo)
        let record = try await rows.write(next, over: claimed, settled: evaluated.settled, caller)
        #expect(record != next.record && record.outcome == nil)
        let asked = try await world.flows.get(flow.id, owner: World.jo)
        #expect(asked.step?.messages.map(\.code) == ["totp.wrong"])
        // The right answer in between has restored all attempts.
        #expect(asked.step?.attempts?.remaining == 5)
    }

    @Test("wrong codes block, and during a block even a right one is not evaluated") func blocked() async throws {
        let world = try world()
        let person = try await world.signUp()
        _ = try await enrol(world, person)
        let other = try await stepUp(world, person)
        var flow = try await stepUp(world, person)
        for _ in 0..<5 { flow = try await world.submit(flow, ["code": "000000"]).flow }
        #expect(flow.state == .failed(.blocked))
        let right = try await code(world, person, later: 1)
        #expect(await refusal { try await world.submit(other, ["code": .string(right)]) }?.reason == .blocked)
        #expect(await refusal { try await stepUp(world, person) }?.reason == .blocked)
        // Unlike a PIN, a blocked authenticator is not removed.
        #expect(try await world.store.authenticators.find(person.user) != nil)
    }

    @Test("an authenticator is removed after a code from it, and it belongs to the user at every uid") func removed()
        async throws
    {
        let world = try world()
        let person = try await world.signUp()
        _ = try await enrol(world, person)
        let there = try #require(try await world.signIn("Secret123", owner: World.ann).finished)
        #expect(try await stepUp(world, there, owner: World.ann).step?.type == .totp)
        let asked = try await stepUp(world, person, change: .remove(.totp))
        let proved = try await world.submit(asked, ["password": "Secret123"])
        #expect(proved.flow.step?.type == .totp)
        let code = try await code(world, person, later: 1)
        #expect(try await world.submit(proved.flow, ["code": .string(code)]).verdict == .accepted)
        #expect(try await world.store.authenticators.find(person.user) == nil)
        #expect(try await world.events().contains("credential.removed"))
    }

    @Test("an authenticator that is removed in the meantime is not set up instead", arguments: [false, true])
    func gone(isAskedFor: Bool) async throws {
        let world = try world()
        let person = try await world.signUp()
        _ = try await enrol(world, person)
        let asked = try await stepUp(world, person, change: .remove(.totp))
        var flow = asked
        if isAskedFor {
            flow = try await world.submit(asked, ["password": "Secret123"]).flow
            #expect(flow.step?.type == .totp)
        }
        let other = try await stepUp(world, person, change: .remove(.totp))
        let proved = try await world.submit(other, ["password": "Secret123"])
        let next = try await code(world, person, later: 1)
        #expect(try await world.submit(proved.flow, ["code": .string(next)]).verdict == .accepted)
        let answers: [String: JSONValue] = isAskedFor ? ["code": "123456"] : ["password": "Secret123"]
        let refused = await refusal { try await world.submit(flow, answers) }
        #expect(refused?.message == "There is no totp to remove.")
        #expect(try await world.flows.get(flow.id, owner: World.jo).state == .failed(.denied))
        #expect(try await world.store.authenticators.find(person.user) == nil)
    }
}
