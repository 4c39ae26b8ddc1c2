import Attempts
import AuthorityStore
import Credentials
import FlowModel
import Foundation
import Localization
import Moments
import OAuth
import Origins
import Policies
import TestSupport
import Testing

@testable import Flows

@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct FlowsSignUpTests {
    private let answers: [String: JSONValue] = [
        "email": "jo@example.org", "displayName": "Jo", "city": "Ulm", "password": "Secret123",
    ]

    @Test("the account is created after the code and not before, with all entered attributes") func whole() async throws
    {
        let world = try World()
        let flow = try await world.start(.signUp).flow
        let asked = try await world.submit(flow, answers)
        #expect(asked.verdict == .next)
        #expect(try await world.store.users.find(signInName: "jo@example.org") == nil)
        let mail = try #require(try await world.mail())
        #expect(mail.to == "jo@example.org")
        let code = try #require(mail.body.reveal().split(separator: "\n").first { Int($0) != nil && $0.count == 6 })
        let result = try await world.submit(asked.flow, ["code": .string(String(code))])
        #expect(result.verdict == .accepted)
        let user = try #require(try await world.store.users.find(signInName: "JO@example.org"))
        #expect(user.id == result.finished?.user)
        #expect(user.signInNames == [AuthorityName(.email, "jo@example.org")])
        #expect(user.attributes == ["displayName": "Jo", "city": "Ulm"])
        #expect(user.passwordHash?.reveal().hasPrefix("$argon2id$") == true)
        #expect(try await world.events().contains("flow.succeeded"))
    }

    @Test("a sign-up that waits for its code survives a restart") func restart() async throws {
        let world = try World()
        let flow = try await world.start(.signUp).flow
        let asked = try await world.submit(flow, answers)
        let code = try #require(try await world.code())
        try world.reopen()
        let found = try await world.flows.list(owner: World.jo)
        #expect(found.map(\.id) == [flow.id])
        #expect(found.first?.step == nil)
        let again = try await world.flows.get(flow.id, owner: World.jo)
        #expect(again == asked.flow)
        #expect(try await world.submit(again, ["code": .string(code)]).verdict == .accepted)
    }

    @Test("the database, the audit and all responses contain no password and no code")
    func planted() async throws {
        let world = try World()
        let flow = try await world.start(.signUp).flow
        let asked = try await world.submit(flow, answers)
        let code = try #require(try await world.code())
        let shown = String(describing: asked.flow)
        #expect(!shown.contains("Secret123") && !shown.contains(code))
        for name in ["authority.sqlite", "authority.sqlite-wal"] {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(world.state)/\(name)"))
            #expect(bytes.range(of: Data("Secret123".utf8)) == nil)
            #expect(bytes.range(of: Data("jo@example.org".utf8)) == nil)
            #expect(bytes.range(of: Data(flow.id.utf8)) == nil)
        }
        let events = try await world.store.audit.all(since: 0, limit: 100)
        #expect(!String(describing: events).contains("Secret123"))
    }

    @Test("a known address and an unknown one look the same except for the mail") func knownLooksNew() async throws {
        let world = try World()
        try await world.signUp("known@example.org")
        var seen: [String] = []
        var flows: [Flow] = []
        for email in ["known@example.org", "knewn@example.org"] {
            let flow = try await world.start(.signUp).flow
            let hashes = world.hasher.computations
            let commits = try world.commits()
            let asked = try await world.submit(flow, answers.merging(["email": .string(email)]) { $1 })
            let step = try #require(asked.flow.step)
            seen.append(
                """
                \(asked.verdict) \(step.type) \(step.nodes) \(step.actions) \(String(describing: step.data)) \
                \(String(describing: step.attempts)) \(step.messages) \(asked.flow.rev) \
                \(world.hasher.computations - hashes) hashes \(try world.commits() - commits) commits
                """
            )
            flows.append(asked.flow)
        }
        #expect(seen[0] == seen[1])
        #expect(seen[0].contains("1 hashes"))
        let wrong = try await world.submit(flows[0], ["code": "123456"])
        #expect(wrong.verdict == .rejected)
        #expect(wrong.flow.step?.messages.map(\.code) == ["code.wrong"])
    }

    @Test("a mail domain is stored in ASCII, shown in Unicode, and both spellings are one account")
    func international() async throws {
        let world = try World()
        let flow = try await world.start(.signUp).flow
        let asked = try await world.submit(flow, answers.merging(["email": "jo@B\u{DC}CHER.example"]) { $1 })
        #expect(asked.flow.step?.data?["hint"] == "j•••@b\u{FC}cher.example")
        let mail = try #require(try await world.mail())
        #expect(mail.to == "jo@xn--bcher-kva.example")
        let code = try #require(mail.body.reveal().split(separator: "\n").first { Int($0) != nil && $0.count == 6 })
        let result = try await world.submit(asked.flow, ["code": .string(String(code))])
        #expect(result.finished?.username == "jo@b\u{FC}cher.example")
        for name in ["JO@xn--bcher-kva.example", "jo@bu\u{308}cher.EXAMPLE", "jo@b\u{FC}cher\u{3002}example"] {
            let user = try #require(try await world.store.users.find(signInName: name))
            #expect(user.signInNames == [AuthorityName(.email, "jo@xn--bcher-kva.example")])
            #expect(user.username == "jo@b\u{FC}cher.example" && user.email == "jo@xn--bcher-kva.example")
            #expect(try await world.signIn("Secret123", as: name).verdict == .accepted)
        }
        let second = try await world.start(.signUp).flow
        _ = try await world.submit(second, answers.merging(["email": "jo@xn--bcher-kva.example"]) { $1 })
        #expect(try await world.mail()?.subject == "You already have an account for Tasks")
    }

    @Test("an address that the mail server does not take is refused at its field, and no mail is charged or sent")
    func notTaken() async throws {
        let world = try World(takesAddress: { !$0.hasPrefix("j\u{F6}") })
        let flow = try await world.start(.signUp).flow
        let refused = await refusal {
            try await world.submit(flow, answers.merging(["email": "j\u{F6}@example.org"]) { $1 })
        }
        #expect(refused?.text == Text("refusal.addressNotTaken"))
        #expect(refused?.nodes.map(\.name) == ["email"] && refused?.nodes.map(\.code) == [.malformed])
        #expect(try await world.mail() == nil)
        let now = try await world.flows.get(flow.id, owner: World.jo)
        let asked = try await world.submit(now, answers)
        #expect(asked.flow.step?.type == .code)
    }

    @Test("an unverified address that the mail server does not take is refused before a password is hashed or charged")
    func unverified() async throws {
        let policy = Samples.policy(.signUp, attributes: [AttributeRule(name: "email", required: true, verify: false)])
        let world = try World(policies: [policy], takesAddress: { !$0.hasPrefix("j\u{F6}") })
        let flow = try await world.start(.signUp).flow
        let hashes = world.hasher.computations
        let typed: [String: JSONValue] = ["email": "j\u{F6}@example.org", "password": "Secret123"]
        for _ in 0..<2 {
            let now = try await world.flows.get(flow.id, owner: World.jo)
            let refused = await refusal { try await world.submit(now, typed) }
            #expect(refused?.text == Text("refusal.addressNotTaken"))
            #expect(refused?.nodes.map(\.name) == ["email"])
        }
        #expect(world.hasher.computations == hashes)
        #expect(try await world.store.users.find(signInName: "j\u{F6}@example.org") == nil)
        let attempts = Attempts(store: world.store)
        for _ in 0..<60 { try await attempts.chargeHash(origin: World.jo.origin) }
        let second = try await world.start(.signUp, owner: World.ann).flow
        let plain: [String: JSONValue] = ["email": "jo@example.org", "password": "Secret123"]
        #expect(try await world.submit(second, plain, owner: World.ann).verdict == .accepted)
        #expect(try await world.mail() == nil)
    }

    @Test("an unverified address that the mail server does not take is also refused without a password")
    func unverifiedWithoutPassword() async throws {
        let attributes = [AttributeRule(name: "email", required: true, verify: false)]
        let policy = Samples.policy(.signUp, attributes: attributes, signInChecks: ["Pin"])
        let checks = [Check(name: "Pin", type: .pin)]
        let world = try World(policies: [policy], checks: checks, takesAddress: { !$0.hasPrefix("j\u{F6}") })
        let flow = try await world.start(.signUp).flow
        let refused = await refusal { try await world.submit(flow, ["email": "j\u{F6}@example.org"]) }
        #expect(refused?.text == Text("refusal.addressNotTaken"))
        let now = try await world.flows.get(flow.id, owner: World.jo)
        #expect(now.step?.type == .attributes)
        let next = try await world.submit(now, ["email": "jo@example.org"])
        #expect(next.flow.step?.type != .attributes)
    }

    @Test("a known address gets a mail about the existing account, without a code") func knownMail() async throws {
        let world = try World()
        try await world.signUp()
        let flow = try await world.start(.signUp).flow
        _ = try await world.submit(flow, answers)
        let mail = try #require(try await world.mail())
        #expect(mail.subject == "You already have an account for Tasks")
        #expect(mail.body.reveal().firstMatch(of: /[0-9]{6}/) == nil)
    }

    @Test("a wrong code is charged, and the fifth blocks") func wrongCodes() async throws {
        let world = try World()
        let flow = try await world.start(.signUp).flow
        var now = try await world.submit(flow, answers).flow
        let code = try #require(try await world.code())
        let wrong = code == "111111" ? "222222" : "111111"
        for left in [4, 3, 2, 1] {
            now = try await world.submit(now, ["code": .string(wrong)]).flow
            #expect(now.step?.attempts == AttemptsLeft(remaining: left, max: 5))
        }
        let last = try await world.submit(now, ["code": .string(wrong)])
        #expect(last.flow.state == .failed(.blocked))
        #expect(last.flow.retryAfterMs == 60_000)
        let next = try await world.start(.signUp).flow
        let refused = await refusal { try await world.submit(next, answers) }
        #expect(refused?.reason == .blocked)
        #expect(refused?.retryAfterMs == 60_000)
    }

    @Test("a new code invalidates the previous one and is accepted") func resend() async throws {
        let world = try World()
        let flow = try await world.start(.signUp).flow
        let asked = try await world.submit(flow, answers)
        let first = try #require(try await world.code())
        let tooSoon = await refusal { try await world.act(asked.flow, "resend") }
        #expect(tooSoon?.reason == .limitExceeded)
        #expect(tooSoon?.message.wholeMatch(of: /You can request another code in \d+ s\./) != nil)
        let german = tooSoon?.text.words(in: .german)
        #expect(german?.wholeMatch(of: /Sie können in \d+ s einen neuen Code anfordern\./) != nil, "\(german ?? "")")
        world.clock.advance(by: .seconds(30))
        let again = try await world.act(asked.flow, "resend")
        #expect(again.verdict == .next)
        let second = try #require(try await world.code())
        if first != second {
            let dead = try await world.submit(again.flow, ["code": .string(first)])
            #expect(dead.verdict == .rejected)
            #expect(try await world.submit(dead.flow, ["code": .string(second)]).verdict == .accepted)
        }
    }

    @Test(
        "if two users verify one address at once, one gets the account and the other is prompted for another name"
    )
    func race() async throws {
        let world = try World()
        var pending: [(Flow, String)] = []
        for _ in 0..<2 {
            let flow = try await world.start(.signUp).flow
            let asked = try await world.submit(flow, answers)
            pending.append((asked.flow, try #require(try await world.code())))
        }
        let first = try await world.submit(pending[0].0, ["code": .string(pending[0].1)])
        #expect(first.verdict == .accepted)
        let second = try await world.submit(pending[1].0, ["code": .string(pending[1].1)])
        #expect(second.verdict == .rejected)
        #expect(second.finished == nil)
        #expect(second.flow.step?.type == .attributes)
        #expect(second.flow.step?.messages.map(\.code) == ["name.taken"])
        #expect(try await world.store.users.list(limit: 10).count == 1)
    }

    @Test("a sign-up beyond the evaluations of a minute is 1013 with the waiting time, and sends no mail")
    func crowded() async throws {
        let world = try World()
        try await world.fillEvaluations(Attempts.evaluations.strangers - 1)
        let flow = try await world.start(.signUp).flow
        // Hashing the password uses up the last evaluation, so the answer is refused before an e-mail is sent.
        let refused = await refusal { try await world.submit(flow, answers) }
        #expect(refused?.reason == .limitExceeded)
        #expect(refused?.facts[.limit] == "evaluations")
        #expect(refused?.retryAfterMs == 60_000)
        #expect(try await world.mail() == nil)
        world.clock.advance(by: .seconds(60))
        let seen = try await world.flows.get(flow.id, owner: World.jo)
        #expect(try await world.submit(seen, answers).verdict == .next)
    }

    /// Requests an e-mail to an address, and ends the flow.
    ///
    /// Returns the refusal, or `nil` if the request is accepted.
    private func askForMail(_ world: World, _ address: String, owner: Owner) async throws -> Refusal? {
        let flow = try await world.start(.signUp, owner: owner).flow
        let said = answers.merging(["email": .string(address)]) { $1 }
        let refused = await refusal { try await world.submit(flow, said, owner: owner) }
        _ = try await world.flows.cancel(flow.id, caller: Caller(owner: owner))
        return refused
    }

    @Test(
        "a name is stored and mailed in its normalized form, so that no user can verify one mailbox and get another's name"
    )
    func canonical() async throws {
        let world = try World()
        for (typed, kept) in [
            ("\u{212A}ate@example.org", "Kate@example.org"), ("Jo\u{308}@example.org", "J\u{F6}@example.org"),
        ] {
            let flow = try await world.start(.signUp).flow
            let said = answers.merging(["email": .string(typed)]) { $1 }
            let asked = try await world.submit(flow, said)
            #expect(asked.verdict == .next)
            let mail = try #require(try await world.mail())
            #expect(Array(mail.to.unicodeScalars) == Array(kept.unicodeScalars), "\(mail.to)")
            _ = try await world.flows.cancel(flow.id, caller: Caller(owner: World.jo))
        }
    }

    @Test("flooding an address is limited to 5 mails an hour, and other users can still use it")
    func mailsToAddress() async throws {
        let world = try World()
        for _ in 0..<5 { #expect(try await askForMail(world, "jo@example.org", owner: World.ann) == nil) }
        let refused = try #require(try await askForMail(world, "JO@example.org", owner: World.ann))
        #expect(refused.reason == .limitExceeded)
        #expect(refused.facts[.limit] == "mailsPerAddressPerHour")
        #expect(refused.retryAfterMs == 3_600_000)
        #expect(try await askForMail(world, "jo@example.org", owner: World.jo) == nil)
    }

    @Test("after a sign-up the user is not locked out there by wrong answers from eight other uids")
    func provenBySignUp()
        async throws
    {
        let world = try World()
        try await world.signUp()
        for uid in UInt32(2000)..<2008 {
            for guess in 0..<3 {
                _ = await refusal { try await world.signIn("wrong-\(guess)", owner: .local(machine: "m", uid: uid)) }
            }
        }
        let elsewhere = await refusal { try await world.signIn("Secret123", owner: World.ann) }
        #expect(elsewhere?.reason == .blocked)
        #expect(try await world.signIn("Secret123").verdict == .accepted)
    }

    @Test("one uid gets 30 mails in ten minutes and 200 a day, for all addresses together") func mailsOfUID()
        async throws
    {
        #expect(MailLimits() == MailLimits(perOrigin: 30, perOriginDaily: 200))
        let world = try World(mails: MailLimits(perOrigin: 3, perOriginDaily: 20))
        var sent = 0
        for _ in 0..<6 {
            for _ in 0..<3 {
                #expect(try await askForMail(world, "a\(sent)@example.org", owner: World.jo) == nil)
                sent += 1
            }
            let refused = try #require(try await askForMail(world, "more@example.org", owner: World.jo))
            #expect(refused.facts[.limit] == "mailsPerUid")
            #expect(refused.retryAfterMs == 600_000)
            world.clock.advance(by: .seconds(600))
        }
        for _ in 0..<2 {
            #expect(try await askForMail(world, "a\(sent)@example.org", owner: World.jo) == nil)
            sent += 1
        }
        let refused = try #require(try await askForMail(world, "more@example.org", owner: World.jo))
        #expect(refused.reason == .limitExceeded)
        #expect(refused.facts[.limit] == "mailsPerUidPerDay")
        #expect(refused.retryAfterMs == 82_800_000)
        #expect(try await askForMail(world, "more@example.org", owner: World.ann) == nil)
    }

    @Test("if no mail can be sent no password is hashed, and none is charged") func mailFirst() async throws {
        let world = try World()
        for index in 0..<30 {
            #expect(try await askForMail(world, "a\(index)@example.org", owner: World.jo) == nil)
        }
        let hashes = world.hasher.computations
        for index in 0..<40 {
            let refused = try await askForMail(world, "b\(index)@example.org", owner: World.jo)
            #expect(refused?.facts[.limit] == "mailsPerUid")
        }
        #expect(world.hasher.computations == hashes)
        // Thirty of the sixty evaluations that a uid has per minute are left.
        let attempts = Attempts(store: world.store)
        for _ in 0..<30 { try await attempts.chargeHash(origin: World.jo.origin) }
        #expect(await refusal { try await attempts.chargeHash(origin: World.jo.origin) } != nil)
    }

    @Test("a uid that signs up sixty times a minute waits, and another uid's right password is evaluated") func fair()
        async throws
    {
        let world = try World(mails: MailLimits(perOrigin: 1000, perOriginDaily: 1000))
        try await world.signUp(owner: World.ann)
        for index in 0..<59 {
            #expect(try await askForMail(world, "a\(index)@example.org", owner: World.jo) == nil)
        }
        // Hashing this password would be the sixtieth evaluation, so no answer to the code could be evaluated.
        let refused = try await askForMail(world, "more@example.org", owner: World.jo)
        #expect(refused?.reason == .limitExceeded)
        #expect(refused?.facts[.limit] == "evaluations")
        #expect(refused?.retryAfterMs == 60_000)
        try await world.fillEvaluations(Attempts.evaluations.strangers - 62 - 1)
        #expect(try await world.signIn("Secret123", owner: .local(machine: "m", uid: 77)).verdict == .accepted)
    }

    @Test("a new password is charged to the shared evaluations") func hashesAreCharged() async throws {
        let world = try World()
        try await world.fillEvaluations(Attempts.evaluations.strangers)
        let refused = try #require(try await askForMail(world, "jo@example.org", owner: World.jo))
        #expect(refused.reason == .limitExceeded)
        #expect(refused.facts[.limit] == "evaluations")
        #expect(world.hasher.computations == 0)
    }
}
