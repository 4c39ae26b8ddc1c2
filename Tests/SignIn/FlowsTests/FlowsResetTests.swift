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

/// Tests password resets and profile edits, with the flow engine.
@Suite(.timeLimit(.minutes(2)), .indexedStatements)
struct FlowsResetTests {
    private static let new: [String: JSONValue] = ["newPassword": "Another456"]

    /// Creates a world with a policy of each required kind, in which Jo is signed up.
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

    /// Continues from the name prompt to the prompt for a new password.
    private func proved(_ flow: Flow, _ world: World) async throws -> Flow {
        let asked = try await world.submit(flow, ["username": "jo@example.org"])
        #expect(asked.flow.step?.type == .code)
        let code = try #require(try await world.code())
        let next = try await world.submit(asked.flow, ["code": .string(code)])
        #expect(next.flow.step?.type == .newPassword && next.verdict == .next)
        return next.flow
    }

    @Test("a code by mail leads to a new password, and then the old one, sessions and refresh tokens are invalid")
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
        // The reset does not end a sign-in that has not identified a user.
        #expect(try await world.flows.get(open.id, owner: World.ann).state == .challenge)
        #expect(try await world.events().contains("password.changed"))
    }

    @Test("a sign-in whose password is changed during its evaluation gets no session")
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
        try await waitUntil("the answer is evaluated") {
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
        // Regardless of which operation is stored first, nothing that was obtained with the old password remains valid.
        #expect(refused == nil || refused?.reason == .flowFinished)
        #expect(try await world.store.sessions.live(owner: World.ann, user: made.user).isEmpty)
        #expect(try await world.store.sessions.live(owner: World.jo, user: made.user).count == 1)
    }

    @Test("an unknown name gets the same prompts, messages and charges as a known one, and no mail is sent")
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

    @Test("a disabled user, and one without a password, get no mail", arguments: [false, true])
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

    @Test("the old password and a weak one are rejected, and the user is prompted again") func samePassword()
        async throws
    {
        let world = try await world()
        let flow = try await proved(try await world.start(.passwordReset).flow, world)
        for (password, code) in [("Secret123", NodeProblem.Code.unchanged), ("weak", .tooShort)] {
            let refused = await refusal { try await world.submit(flow, ["newPassword": .string(password)]) }
            #expect(refused?.nodes.map(\.code) == [code])
        }
        #expect(try await world.submit(flow, Self.new).verdict == .accepted)
    }

    @Test("the old password is rejected in English, and the problem is described in the language of the flow")
    func samePasswordInGerman() async throws {
        let world = try await world()
        let start = try await world.start(.passwordReset, presentation: Presentation(language: .german))
        let flow = try await proved(start.flow, world)
        let refused = await refusal { try await world.submit(flow, ["newPassword": "Secret123"]) }
        #expect(refused?.message == "This is your current password. Choose a different one.")
        #expect(refused?.nodes.map(\.text) == ["Das ist Ihr bisheriges Kennwort. Wählen Sie ein anderes."])
    }

    @Test("a reset restores the budget of a blocked password") func unlocked() async throws {
        let world = try await world()
        for guess in ["Wrong-1x", "Wrong-2x", "Wrong-3x"] { _ = try await world.signIn(guess) }
        #expect(await refusal { try await world.signIn("Secret123") }?.reason == .blocked)
        let flow = try await proved(try await world.start(.passwordReset).flow, world)
        _ = try await world.submit(flow, Self.new)
        #expect(try await world.signIn("Another456").verdict == .accepted)
    }

    @Test("a user who forgot the password at a sign-in resets it in the same flow, or goes back") func forgot()
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

    @Test("if no policy resets passwords, a forgotten password cannot be reset") func notForgotten() async throws {
        let world = try World()
        try await world.signUp()
        let flow = try await world.start(.signIn).flow
        #expect(flow.step?.actions.map(\.name).contains(.forgot) == false)
        #expect(await refusal { try await world.act(flow, "forgot") }?.reason == .invalidAnswer)
    }

    @Test("a stored value that is no longer an option is not prefilled, and is prompted for again") func adopted()
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

    @Test("a profile is edited after the sign-in with prefilled values, empty values are removed, and the rules apply")
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
