import Attempts
import AuthorityStore
import FlowModel
import Foundation
import OAuth
import Policies
import TestSupport
import Testing

@testable import Flows

/// Tests codes in e-mails and their attempt limits, with the flow engine.
@Suite(.timeLimit(.minutes(2)), .indexedStatements)
struct FlowsCodeTests {
    private let signUpAnswers: [String: JSONValue] = [
        "email": "jo@example.org", "displayName": "Jo", "password": "Secret123",
    ]

    /// Creates a world in which Jo is signed up and a sign-in requires only a code.
    private func worldOfCodes() async throws -> World {
        let world = try World(
            policies: [Samples.policy(.signUp), Samples.policy(.signIn, signInChecks: ["EmailCode"])]
        )
        try await world.signUp()
        return world
    }

    private func wrong(_ code: String?) -> [String: JSONValue] { ["code": code == "111111" ? "222222" : "111111"] }

    @Test("an unknown name gets a code prompt and is counted and blocked like a known one, without a mail")
    func unknownName() async throws {
        let world = try await worldOfCodes()
        var seen: [[String]] = []
        for name in ["jo@example.org", "ja@example.org"] {
            var lines: [String] = []
            let flow = try await world.start().flow
            let commits = try world.commits()
            var now = try await world.submit(flow, ["username": .string(name)])
            lines.append("\(try world.commits() - commits) commits")
            let mail = try await world.mail()
            #expect((mail != nil) == (name == "jo@example.org"))
            for _ in 0..<5 {
                let step = now.flow.step
                lines.append(
                    """
                    \(now.verdict) \(now.flow.rev) \(now.flow.state) \(now.flow.stepExpiresAt ?? 0) \
                    \(step?.type.rawValue ?? "") \(step?.title ?? "") \(step?.nodes ?? []) \
                    \(String(describing: step?.attempts)) \(step?.messages ?? []) \(step?.actions ?? []) \
                    \(step?.data?.text ?? "")
                    """
                )
                let sent = mail?.body.reveal().split(separator: "\n").map(String.init).first { Int($0) != nil }
                now = try await world.submit(now.flow, wrong(sent))
            }
            lines.append("\(now.verdict) \(now.flow.state) \(now.flow.retryAfterMs ?? 0)")
            seen.append(lines)
        }
        #expect(seen[0] == seen[1])
    }

    @Test("a code is generated and charged for an unknown name too") func effect() async throws {
        let world = try await worldOfCodes()
        let flow = try await world.start().flow
        let row = try #require(try await world.store.flows.list(owner: World.jo).first)
        let record = try world.flows.engine.rows.read(row).record
        #expect(record.order.id == flow.id)
        let check = Samples.checks[1]
        var made: [MadeCode] = []
        for name in ["jo@example.org", "ja@example.org"] {
            let result = await world.flows.engine.rows.evaluator.run(
                .makeCode(.name(name, check: check.name, forPassword: false), check),
                record,
                for: Caller(owner: World.jo)
            )
            guard case .codeMade(let code) = result.finding else {
                Issue.record("no code was made for \(name): \(result.finding)")
                continue
            }
            // An origin where the user signed up is exempt from the charges for unknown origins.
            #expect(result.mailCharges.count == (name == "jo@example.org" ? 7 : 14))
            made.append(code)
        }
        try #require(made.count == 2)
        #expect(made[0].mac.count == made[1].mac.count)
        #expect(made[0].context == made[1].context)
        #expect(made[0].purpose == made[1].purpose)
        #expect(made.map(\.address) == ["jo@example.org", "ja@example.org"])
        #expect(made[0].person != nil && made[1].person == nil)
        #expect(made[0].mail != nil && made[1].mail == nil)
    }

    @Test("a mail is charged to the entered name, so that charges reveal no account")
    func chargedName() async throws {
        let world = try await worldOfCodes()
        _ = try await world.start()
        let row = try #require(try await world.store.flows.list(owner: World.jo).first)
        let record = try world.flows.engine.rows.read(row).record
        let check = Samples.checks[1]
        func charged() async throws -> [ChargeKey] {
            try await world.flows.engine.rows.evaluator.run(
                .makeCode(.name("ja", check: check.name, forPassword: false), check),
                record,
                for: Caller(owner: World.jo)
            ).mailCharges
        }
        let before = try await charged()
        let names = [SignInName(.username, "ja"), SignInName(.email, "ja@example.org")]
        try await world.store.users.add(UserRecord(id: UserID(oid: "ja"), signInNames: names, createdAt: 0))
        #expect(try await charged() == before)
    }

    @Test("a disabled user gets no code, and no code signs the user in") func disabled() async throws {
        let world = try await worldOfCodes()
        let user = try #require(try await world.store.users.find(signInName: "jo@example.org"))
        try await world.store.users.setEnabled(user.id, false)
        let asked = try await world.submit(try await world.start().flow, ["username": "jo@example.org"])
        #expect(asked.flow.step?.type == .code)
        #expect(try await world.mail() == nil)
    }

    @Test("a new code restores no attempt: five wrong answers block, for any of the codes") func resend()
        async throws
    {
        let world = try World()
        var now = try await world.submit(try await world.start(.signUp).flow, signUpAnswers).flow
        for left in [4, 3, 2, 1] {
            let code = try await world.code()
            now = try await world.submit(now, wrong(code)).flow
            #expect(now.step?.attempts == AttemptsLeft(remaining: left, max: 5))
            world.clock.advance(by: .seconds(30))
            now = try await world.act(now, "resend").flow
            #expect(now.step?.attempts == AttemptsLeft(remaining: left, max: 5))
        }
        let code = try await world.code()
        #expect(try await world.submit(now, wrong(code)).flow.state == .failed(.blocked))
    }

    @Test("going back and requesting a new code restores no attempt either") func back() async throws {
        let world = try World()
        var now = try await world.submit(try await world.start(.signUp).flow, signUpAnswers).flow
        let code = try await world.code()
        for _ in 0..<2 { now = try await world.submit(now, wrong(code)).flow }
        world.clock.advance(by: .seconds(30))
        now = try await world.act(now, "back").flow
        now = try await world.submit(now, signUpAnswers).flow
        #expect(now.step?.attempts == AttemptsLeft(remaining: 3, max: 5))
    }

    @Test("the daily limit of a check holds for all uids that sign in") func dailyLimit() async throws {
        let checks = [Check(name: "UserLogin", type: .password, dailyLimit: 4), Samples.checks[1]]
        let world = try World(checks: checks)
        try await world.signUp()
        var verdicts: [Verdict] = []
        for (index, uid) in [2001, 2001, 2002, 2002].enumerated() as EnumeratedSequence<[UInt32]> {
            verdicts.append(try await world.signIn("wrong-\(index)", owner: .local(machine: "m", uid: uid)).verdict)
        }
        #expect(verdicts == [.rejected, .rejected, .rejected, .rejected])
        let refused = await refusal {
            try await world.signIn("Secret123", owner: .local(machine: "m", uid: 2003))
        }
        #expect(refused?.reason == .blocked)
        #expect(refused?.retryAfterMs == 86_400_000)
    }
}
