import AuthorityStore
import FlowModel
import Foundation
import Localization
import Moments
import OAuth
import Policies
import TestSupport
import Testing

@testable import Flows

/// New passwords and edited profiles, through the engine.
@Suite(.timeLimit(.minutes(2)), .indexedStatements)
struct FlowsResetTests {
    private static let new: [String: JSONValue] = ["newPassword": "Another456"]

    /// A world with a policy of each kind, and Jo signed up.
    private func world() async throws -> World {
        let rules = Samples.attributeRules.filter { $0.name != "email" }
        let world = try World(
            policies: [
                Samples.policy(.signUp), Samples.policy(.signIn),
                Samples.policy(.passwordReset, signInChecks: ["EmailCode"]),
                Samples.policy(.profileEdit, attributes: rules),
            ]
        )
        try await world.signUp()
        return world
    }

    /// Goes on from the question for a name to that for a new password.
    private func proved(_ flow: Flow, _ world: World) async throws -> Flow {
        let asked = try await world.submit(flow, ["username": "jo@example.org"])
        #expect(asked.flow.step?.type == .code)
        let code = try #require(try await world.code())
        let next = try await world.submit(asked.flow, ["code": .string(code)])
        #expect(next.flow.step?.type == .newPassword && next.verdict == .next)
        return next.flow
    }

    @Test("a code by mail leads to a new password; the old one, sessions and refresh tokens are then dead")
    func reset() async throws {
        let world = try await world()
        let done = try await world.signIn("Secret123", owner: World.ann)
        let user = try #require(done.finished?.user)
        #expect(try await world.store.sessions.live(owner: World.ann, user: user).count == 1)
        let open = try await world.start(owner: World.ann).flow
        let flow = try await proved(try await world.start(.passwordReset).flow, world)
        let result = try await world.submit(flow, Self.new)
        #expect(result.verdict == .accepted && result.finished?.user == user && result.finished?.edit == .password)
        #expect(try await world.store.sessions.live(owner: World.ann, user: user).isEmpty)
        #expect(try await world.store.sessions.live(owner: World.jo, user: user).count == 1)
        #expect(try await world.signIn("Secret123").verdict == .rejected)
        #expect(try await world.signIn("Another456").verdict == .accepted)
        // A sign-in that knew nobody yet goes on.
        #expect(try await world.flows.get(open.id, owner: World.ann).state == .challenge)
        #expect(try await world.events().contains("password.changed"))
    }

    @Test("a password that is changed while a sign-in looks at the old one leaves that sign-in no session")
    func changedMeanwhile() async throws {
        let world = try World(hasher: PasswordSlow.hasher)
        let made = try await world.signUp()
        let hash = try #require(try await world.store.users.get(made.user)?.passwordHash)
        let flow = try await world.start(owner: World.ann).flow
        async let answer = refusal {
            try await world.submit(
                flow,
                ["username": "jo@example.org", "password": "Secret123"],
                owner: World.ann
            )
        }
        try await waitUntil("the answer is looked at") {
            try await world.flows.get(flow.id, owner: World.ann).state != .challenge
        }
        try await world.store.users.changePassword(
            of: made.user,
            from: hash,
            to: Secret("$argon2id$another"),
            keeping: World.jo,
            settled: [],
            events: []
        )
        let refused = await answer
        // In either order nothing is left of the old password.
        #expect(refused == nil || refused?.reason == .flowFinished)
        #expect(try await world.store.sessions.live(owner: World.ann, user: made.user).isEmpty)
        #expect(try await world.store.sessions.live(owner: World.jo, user: made.user).count == 1)
    }

    @Test("a name that nobody has is asked, told and counted as a known one, and nobody is mailed")
    func unknownName() async throws {
        let world = try await world()
        var seen: [[String]] = []
        for name in ["jo@example.org", "ja@example.org"] {
            var lines: [String] = []
            let flow = try await world.start(.passwordReset).flow
            let commits = try world.commits()
            var now = try await world.submit(flow, ["username": .string(name)])
            lines.append("\(try world.commits() - commits) commits")
            let sent = try await world.code()
            #expect((sent != nil) == (name == "jo@example.org"))
            for _ in 0..<5 {
                let step = now.flow.step
                lines.append(
                    """
                    \(now.verdict) \(now.flow.rev) \(now.flow.state) \(step?.type.rawValue ?? "") \(step?.title ?? "") \
                    \(step?.nodes ?? []) \(String(describing: step?.attempts)) \(step?.messages ?? []) \
                    \(step?.actions.map(\.name) ?? []) \(step?.data?.text ?? "")
                    """
                )
                now = try await world.submit(now.flow, ["code": sent == "111111" ? "222222" : "111111"])
            }
            lines.append("\(now.verdict) \(now.flow.state)")
            seen.append(lines)
        }
        #expect(seen[0] == seen[1])
    }

    @Test("a disabled person, and one who has no password, are mailed nothing", arguments: [false, true])
    func noPassword(_ isDisabled: Bool) async throws {
        let world = try await world()
        let name = isDisabled ? "jo@example.org" : "kim@example.org"
        if isDisabled {
            let user = try #require(try await world.store.users.find(signInName: name))
            try await world.store.users.setEnabled(user.id, false)
        } else {
            let kim = UserRecord(
                id: UserID(oid: "22222222-2222-4222-8222-222222222222"),
                signInNames: [SignInName(.email, name)],
                createdAt: 0
            )
            try await world.store.users.add(kim)
        }
        let flow = try await world.start(.passwordReset).flow
        let asked = try await world.submit(flow, ["username": .string(name)])
        #expect(asked.flow.step?.type == .code)
        #expect(try await world.mail() == nil)
    }

    @Test("the old password and a weak one are refused, and asked again") func samePassword() async throws {
        let world = try await world()
        let flow = try await proved(try await world.start(.passwordReset).flow, world)
        for (password, code) in [("Secret123", NodeProblem.Code.unchanged), ("weak", .tooShort)] {
            let refused = await refusal { try await world.submit(flow, ["newPassword": .string(password)]) }
            #expect(refused?.nodes.map(\.code) == [code])
        }
        #expect(try await world.submit(flow, Self.new).verdict == .accepted)
    }

    @Test("the old password is refused in English, and its problem is said in the language of the flow")
    func samePasswordInGerman() async throws {
        let world = try await world()
        let start = try await world.start(.passwordReset, presentation: Presentation(language: .german))
        let flow = try await proved(start.flow, world)
        let refused = await refusal { try await world.submit(flow, ["newPassword": "Secret123"]) }
        #expect(refused?.message == "this is the old password; choose another one")
        #expect(refused?.nodes.map(\.text) == ["das ist das alte Kennwort; wählen Sie ein anderes"])
    }

    @Test("a reset opens the budget of a blocked password") func unlocked() async throws {
        let world = try await world()
        for guess in ["Wrong-1x", "Wrong-2x", "Wrong-3x"] { _ = try await world.signIn(guess) }
        #expect(await refusal { try await world.signIn("Secret123") }?.reason == .blocked)
        let flow = try await proved(try await world.start(.passwordReset).flow, world)
        _ = try await world.submit(flow, Self.new)
        #expect(try await world.signIn("Another456").verdict == .accepted)
    }

    @Test("who forgot the password at a sign-in sets a new one in the same flow, or goes back") func forgot()
        async throws
    {
        let world = try await world()
        let flow = try await world.start(.signIn).flow
        #expect(flow.step?.actions.map(\.name).contains(.forgot) == true)
        let asked = try await world.act(flow, "forgot").flow
        #expect(asked.step?.type == .identifier && asked.step?.data?["purpose"]?.string == "password_reset")
        let back = try await world.act(asked, "back").flow
        #expect(back.step?.type == .password)
        let again = try await world.act(back, "forgot").flow
        let result = try await world.submit(try await proved(again, world), Self.new)
        #expect(result.verdict == .accepted && result.finished?.policy.description == "b2c_1_sign_in")
        #expect(try await world.signIn("Another456").verdict == .accepted)
    }

    @Test("where no policy sets a new password, none can be forgotten") func notForgotten() async throws {
        let world = try World()
        try await world.signUp()
        let flow = try await world.start(.signIn).flow
        #expect(flow.step?.actions.map(\.name).contains(.forgot) == false)
        #expect(await refusal { try await world.act(flow, "forgot") }?.reason == .invalidAnswer)
    }

    @Test("a stored value that is no option any more is not filled in, and is asked for anew") func adopted()
        async throws
    {
        for (options, known) in [(["Ann", "Bea"], nil), (["Jo", "Bea"], "Jo")] as [([AttributeOption], String?)] {
            let name = AttributeRule(name: "displayName", required: true, options: options)
            let world = try World(
                policies: [Samples.policy(.signUp), Samples.policy(.profileEdit, attributes: [name])]
            )
            try await world.signUp()
            let flow = try await world.start(.profileEdit).flow
            let asked = try await world.submit(flow, ["username": "jo@example.org", "password": "Secret123"]).flow
            #expect(asked.step?.nodes.map(\.value) == [known])
            #expect(await refusal { try await world.submit(asked, [:]) }?.nodes.map(\.code) == [.missing])
            let done = try await world.submit(asked, ["displayName": "Bea"])
            #expect(done.verdict == .accepted)
        }
    }

    @Test("a profile is edited after the sign-in, filled in; what is left empty goes, and the rules hold")
    func profile() async throws {
        let world = try await world()
        let flow = try await world.start(.profileEdit).flow
        let asked = try await world.submit(flow, ["username": "jo@example.org", "password": "Secret123"]).flow
        #expect(asked.step?.type == .profile)
        #expect(asked.step?.nodes.first { $0.name == "displayName" }?.value == "Jo")
        #expect(asked.step?.nodes.contains { $0.name == "email" } == false)
        let refused = await refusal {
            try await world.submit(asked, ["displayName": "Joan", "extension_team": "green"])
        }
        #expect(refused?.nodes.map(\.code) == [.notAnOption])
        #expect(await refusal { try await world.submit(asked, ["city": "Bern"]) }?.nodes.map(\.code) == [.missing])
        let result = try await world.submit(asked, ["displayName": "Joan", "city": "Bern"])
        #expect(result.verdict == .accepted && result.finished?.edit == .profile)
        let user = try #require(try await world.store.users.find(signInName: "jo@example.org"))
        #expect(user.attributes == ["displayName": "Joan", "city": "Bern"])
        #expect(try await world.signIn("Secret123").verdict == .accepted)
        #expect(try await world.events().contains("profile.changed"))
        let second = try await world.submit(
            try await world.start(.profileEdit).flow,
            ["username": "jo@example.org", "password": "Secret123"]
        )
        _ = try await world.submit(second.flow, ["displayName": "Joan"])
        #expect(
            try await world.store.users.find(signInName: "jo@example.org")?.attributes == ["displayName": "Joan"]
        )
    }
}
