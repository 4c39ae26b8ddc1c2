import AuthorityStore
import Credentials
import FlowModel
import Foundation
import Moments
import OAuth
import Policies
import TestSupport
import Testing

@testable import Flows

/// Tests second factors that a policy requires, with the flow engine.
@Suite(.timeLimit(.minutes(2)), .indexedStatements)
struct FlowsSecondFactorTests {
    private static let checks =
        Samples.checks + [Check(name: "Authenticator", type: .totp), Check(name: "PinCodeAttempts", type: .pin)]

    /// Creates a world in which the policy of the kind `kind` requires a second factor.
    private func world(
        _ when: SecondFactor.Occasion,
        _ checks: [String] = ["Authenticator", "EmailCode"],
        at kind: PolicyKind = .signIn
    ) throws -> World {
        let asking = Policy(
            id: try PolicyID("b2c_1_\(kind.rawValue.replacing("-", with: "_"))"),
            kind: kind,
            attributes: Samples.attributeRules,
            secondFactor: SecondFactor(when: when, checks: checks)
        )
        let others = [PolicyKind.signUpOrSignIn, .signUp, .signIn].filter { $0 != kind }.map { Samples.policy($0) }
        return try World(policies: [asking] + others, checks: Self.checks)
    }

    /// Starts a sign-in, and submits the right password.
    private func password(_ world: World, owner: Owner = World.jo) async throws -> SubmissionResult {
        try await world.signIn("Secret123", owner: owner)
    }

    /// Answers the code step with the code from the e-mail.
    private func mailed(
        _ world: World,
        _ asked: SubmissionResult,
        owner: Owner = World.jo
    ) async throws
        -> SubmissionResult
    {
        #expect(asked.verdict == .next && asked.flow.step?.type == .code && asked.flow.step?.check == "EmailCode")
        let code = try #require(try await world.code())
        return try await world.submit(asked.flow, ["code": .string(code)], owner: owner)
    }

    /// Adds an authenticator in a flow that prompts for one.
    private func setUp(_ world: World, _ asked: Flow) async throws -> SubmissionResult {
        #expect(asked.step?.type == .totpSetup)
        let uri = try #require(asked.step?.data?["uri"]?.string)
        let key = try #require(uri.firstMatch(of: /secret=([A-Z2-7]+)/)).1
        #expect(asked.step?.data?["secret"]?.string == String(key))
        let decoded = AuthenticatorKey(Secret(bytes: Base32Text.decode(String(key))))
        let code = decoded.code(step: AuthenticatorKey.step(at: world.clock.now.wall))
        let shown = try await world.submit(asked, ["code": .string(code)])
        #expect(shown.flow.step?.type == .recoveryCodes)
        return try await world.submit(shown.flow, ["kept": true])
    }

    private func code(_ world: World, of user: UserID) async throws -> JSONValue {
        let stored = try #require(try await world.store.authenticators.find(user))
        let step = AuthenticatorKey.step(at: world.clock.now.wall) + 1
        return .string(AuthenticatorKey(stored.key).code(step: step))
    }

    @Test("the user's first available check is prompted for: the code by mail, and the app once it is enrolled")
    func prefers() async throws {
        let world = try world(.always)
        let person = try await world.signUp()
        let done = try await mailed(world, try await password(world))
        #expect(done.verdict == .accepted && done.flow.state == .succeeded)
        let session = try #require(try await world.store.sessions.live(owner: World.jo).first)
        #expect(Set(session.proofs.map(\.check)).isSuperset(of: ["UserLogin", "EmailCode"]))
        // Every sign-in prompts for the second factor.
        #expect(try await password(world).flow.step?.type == .code)
        let requirement = Requirement(
            checks: ["Authenticator"],
            user: .user(person.user),
            session: person.session,
            change: .enrol(check: "Authenticator")
        )
        let asked = try await world.start(.signUpOrSignIn, requirement: requirement).flow
        let proved = try await world.submit(asked, ["password": "Secret123"])
        #expect(try await setUp(world, proved.flow).verdict == .accepted)
        let app = try await password(world)
        #expect(app.flow.step?.type == .totp)
        let right = try await world.submit(app.flow, ["code": try await code(world, of: person.user)])
        #expect(right.flow.state == .succeeded)
    }

    private func choose(_ world: World, _ flow: Flow, _ value: String?) async throws -> SubmissionResult {
        try await world.act(flow, "choose", value: value)
    }

    private func choices(_ flow: Flow) -> [String] {
        (flow.step?.data?["choices"]?.array ?? []).compactMap { $0["value"]?.string }
    }

    @Test("a user with several second factors chooses one, one mail is sent, and only the chosen one is prompted for")
    func chooses() async throws {
        let world = try world(.always)
        let person = try await world.signUp()
        // Only the user's own second factors are offered.
        #expect(choices(try await password(world).flow) == [])
        let requirement = Requirement(
            checks: ["Authenticator"],
            user: .user(person.user),
            session: person.session,
            change: .enrol(check: "Authenticator")
        )
        let asked = try await world.start(.signUpOrSignIn, requirement: requirement).flow
        _ = try await setUp(world, try await world.submit(asked, ["password": "Secret123"]).flow)
        let app = try await password(world).flow
        #expect(app.step?.type == .totp && choices(app) == ["EmailCode"])
        #expect(app.step?.data?["choices"]?.array?.first?["label"] == "Send a code by e-mail")
        for wrong in ["UserLogin", "Authenticator", nil] {
            let refusal = await #expect(throws: Refusal.self) { try await choose(world, app, wrong) }
            #expect(refusal?.reason == .invalidAnswer, "\(wrong ?? "nothing")")
        }
        let mail = try await choose(world, app, "EmailCode")
        #expect(mail.flow.step?.type == .code && mail.flow.step?.check == "EmailCode")
        #expect(choices(mail.flow) == ["Authenticator"])
        let back = try await choose(world, mail.flow, "Authenticator")
        #expect(back.flow.step?.type == .totp && choices(back.flow) == ["EmailCode"])
        // The code in the previous e-mail is still valid. It is too early for a second e-mail, so none is sent.
        let again = try await choose(world, back.flow, "EmailCode")
        #expect(again.flow.step?.type == .code)
        #expect(try await mailed(world, again).flow.state == .succeeded)
        let session = try #require(try await world.store.sessions.live(owner: World.jo).first)
        #expect(session.proofs.contains { $0.check == "EmailCode" })
    }

    @Test("a user without a second factor chooses which one to set up") func choosesSetUp() async throws {
        let checks = ["Authenticator", "PinCodeAttempts"]
        let world = try world(.always, checks)
        _ = try await world.signUp()
        let asked = try await password(world).flow
        #expect(asked.step?.type == .totpSetup && choices(asked) == ["PinCodeAttempts"])
        let pin = try await choose(world, asked, "PinCodeAttempts").flow
        #expect(pin.step?.type == .pinSetup && choices(pin) == ["Authenticator"])
        #expect(pin.step?.data?["choices"]?.array?.first?["label"] == "Use your authenticator app")
        let app = try await choose(world, pin, "Authenticator").flow
        #expect(try await setUp(world, app).flow.state == .succeeded)
    }

    @Test("if mail codes are not accepted the user sets up the app at the first sign-in, and cannot skip it")
    func setsUp()
        async throws
    {
        let world = try world(.always, ["Authenticator"])
        _ = try await world.signUp()
        let asked = try await password(world)
        #expect(asked.flow.state == .challenge && asked.flow.step?.type == .totpSetup)
        #expect(try await setUp(world, asked.flow).flow.state == .succeeded)
        let wrong = try await world.submit(try await password(world).flow, ["code": "000000"])
        #expect(wrong.verdict == .rejected && wrong.flow.step?.attempts?.remaining == 4)
    }

    @Test("on a new device a second factor is required once per uid, again after ninety days, and after a new password")
    func devices()
        async throws
    {
        let world = try world(.newDevice, ["EmailCode"])
        _ = try await world.signUp()
        #expect(try await mailed(world, try await password(world)).flow.state == .succeeded)
        let known = try await password(world)
        #expect(known.flow.state == .succeeded && known.verdict == .accepted)
        let proofs = try await world.store.sessions.live(owner: World.jo).flatMap(\.proofs)
        #expect(proofs.contains { $0.credential == .device && $0.amr.isEmpty })
        let other = try await password(world, owner: World.ann)
        #expect(other.flow.step?.type == .code)
        #expect(try await mailed(world, other, owner: World.ann).flow.state == .succeeded)
        #expect(try await password(world, owner: World.ann).flow.state == .succeeded)
        world.clock.advance(by: .seconds(91 * 86_400))
        #expect(try await password(world).flow.step?.type == .code)
        #expect(try await world.store.devices.sweep(limit: 10) == 2)
    }

    @Test("a user who signs up also sets up the second factor") func signUp() async throws {
        let world = try world(.newDevice, ["Authenticator"], at: .signUp)
        let start = try await world.start(.signUp).flow
        let asked = try await world.submit(start, Samples.attributes)
        let code = try #require(try await world.code())
        let proved = try await world.submit(asked.flow, ["code": .string(code)])
        #expect(try await setUp(world, proved.flow).flow.state == .succeeded)
        let user = try #require(try await world.store.users.find(signInName: "jo@example.org"))
        #expect(try await world.store.authenticators.find(user.id) != nil)
    }
}

/// Decodes base32 in the same way as an authenticator app (RFC 4648 §6).
enum Base32Text {
    static func decode(_ text: String) -> [UInt8] {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        var (bytes, held, bits) = ([UInt8](), 0, 0)
        for letter in text {
            held = held << 5 | (letters.firstIndex(of: letter) ?? 0)
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(held >> bits & 255))
            }
        }
        return bytes
    }
}
