import DurableSQLite
import FlowModel
import Moments
import OAuth
import Origins
import TestSupport
import Testing

@testable import AuthorityStore

@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct PlanTests {
    @Test("no frequent statement scans a whole table") func plans() async throws {
        let fixture = try StoreFixture()
        let store = fixture.store
        let user = fixture.user("u", "ada@example.org")
        let owner = StoreFixture.owner
        try await store.users.add(user, events: [fixture.event()])
        _ = try await store.users.find(signInName: "ada@example.org")
        _ = try await store.users.list(limit: 10)
        let ends = Deadline(.seconds(60), after: fixture.clock.now)
        let mail = OutboxMail(to: "a", subject: "b", body: Secret("c"))
        try await store.invitations.invite("bob@example.org", until: ends, mail: mail)
        try await store.users.rehash(user.id, from: try #require(user.passwordHash), to: Secret("new"))
        _ = try await store.invitations.has("bob@example.org")
        try await store.invitations.withdraw("bob@example.org")
        try await store.invitations.sweep(limit: 10)
        _ = try await store.groups.add(user.id, to: "admins")
        _ = try await store.groups.list()
        _ = try await store.groups.members(of: "admins", limit: 10)
        try await store.groups.remove(user.id, from: "admins")
        _ = try await store.flows.open(fixture.flow("f", requestID: "q", joinKey: "j"), pending: fixture.pending("r"))
        _ = try await store.flows.open(fixture.flow("g", requestID: "q"))
        _ = try await store.flows.get("f", owner: owner)
        _ = try await store.flows.list(owner: owner)
        _ = try await store.flows.open(after: "", limit: 10)
        _ = try await store.flows.standing(owner: owner, client: "c", requestID: "q", joinKey: "j")
        _ = try await store.flows.standing(owner: owner, client: "c", requestID: nil, joinKey: "j")
        _ = try await store.flows.overdue(limit: 10)
        try await store.flows.commit(FlowCommit(flow: fixture.flow("f", rev: 2), expectedRev: 1))
        let window = Charge(key: BudgetKey("w"), subject: nil, rule: .window(max: 3, period: .seconds(1)))
        let block = Charge(
            key: BudgetKey("b"),
            subject: BudgetKey("s"),
            rule: .block(max: 1, block: .seconds(1), factor: 2, longest: .seconds(9))
        )
        guard case .charged(let keys, _) = try await store.attempts.charge([window, block]) else {
            Issue.record("an attempt is not charged")
            return
        }
        _ = try await store.attempts.charge([block])
        try await store.flows.commit(
            FlowCommit(
                flow: fixture.flow("f", rev: 3, isOpen: false, user: user.id),
                expectedRev: 2,
                authentication: fixture.authentication(user.id),
                settled: keys,
                pendingRequest: "r",
                session: fixture.session("s", user.id),
                mails: [OutboxMail(to: "a", subject: "b", body: Secret("c"))]
            )
        )
        _ = try await store.requests.peek("r", owner: owner)
        try await store.grants.issue(
            TokenIssue(
                source: .authentication(requestID: "r"),
                owner: owner,
                user: user.id,
                expectedEpoch: try await store.epoch(),
                product: .family(fixture.family("fam", user.id)),
                consented: ["x"]
            )
        )
        try await store.grants.issue(
            TokenIssue(
                source: .session(id: "s", prolongedUntil: Deadline(.seconds(99), after: fixture.clock.now)),
                owner: owner,
                user: user.id,
                expectedEpoch: try await store.epoch(),
                product: nil
            )
        )
        try await store.grants.issue(
            TokenIssue(
                source: .session(id: "s", prolongedUntil: nil),
                owner: owner,
                user: user.id,
                expectedEpoch: try await store.epoch(),
                product: .code(fixture.code("c", user.id))
            )
        )
        _ = try await store.families.standing(of: "t", in: "fam")
        let code = try #require(try await store.codes.get("c"))
        for id in ["fam2", "fam3"] {
            _ = try await store.codes.redeem(
                code,
                family: fixture.family(id, user.id),
                expectedEpoch: try await store.epoch(),
                events: [],
                correlationID: .random()
            )
        }
        try await store.codes.sweep(limit: 10)
        let device = fixture.device("d")
        try await store.deviceCodes.add(device, userCode: "BCDFGHJK", share: .origin(OriginLevels(alone: "a")))
        _ = try await store.deviceCodes.find(userCode: "BCDFGHJK")
        for _ in 0..<2 {
            _ = try await store.deviceCodes.poll(
                "d",
                client: "tasks",
                policy: "b2c_1_sign_in",
                correlationID: .random()
            )
        }
        try await store.grants.issue(
            TokenIssue(
                source: .session(id: "s", prolongedUntil: nil),
                owner: owner,
                user: user.id,
                expectedEpoch: try await store.epoch(),
                product: .device("d", client: "tasks", fixture.authentication(user.id))
            )
        )
        for id in ["fam4", "fam5"] {
            _ = try await store.deviceCodes.redeem(
                "d",
                family: fixture.family(id, user.id),
                expectedEpoch: try await store.epoch(),
                events: [],
                correlationID: .random()
            )
        }
        try await store.deviceCodes.deny("d")
        try await store.deviceCodes.sweep(limit: 10)
        _ = try await store.families.rotate(fixture.presentation("fam", 0))
        _ = try await store.families.rotate(fixture.presentation("fam", 7))
        _ = try await store.families.list(owner: owner)
        _ = try await store.families.list(owner: owner, user: user.id)
        _ = try await store.users.holdings(of: user.id)
        _ = try await store.families.revoke(["fam"], reason: "x")
        _ = try await store.consents.has(user: user.id, client: "tasks", scopes: ["x"])
        _ = try await store.sessions.live(owner: owner, user: user.id)
        _ = try await store.sessions.live(owner: owner)
        for user in [user.id, nil] {
            _ = try await store.flows.cancelAll(owner: owner, user: user)
            _ = try await store.sessions.signOut(owner: owner, user: user)
        }
        try await store.clients.add(ClientRow(ClientSummary(client: "c", name: "C"), createdAt: 1))
        _ = try await store.clients.list()
        try await store.keys.replace([], expectedEpoch: try await store.epoch())
        _ = try await store.keys.list()
        for mail in try await store.outbox.take(limit: 9, lease: .seconds(1)) {
            try await store.outbox.retry(mail.id, at: Deadline(.seconds(1), after: fixture.clock.now))
            try await store.outbox.done(mail.id)
        }
        _ = try await store.audit.query(owner: owner, limit: 10)
        _ = try await store.audit.all(limit: 10)
        try await store.audit.append([fixture.event(.flowStarted), fixture.event(.flowStarted)])
        fixture.clock.advance(by: AuditBudget.period)
        try await store.audit.append([fixture.event(.flowStarted)])
        fixture.clock.advance(by: AuditBudget.period)
        try await store.audit.sweep(before: 0, keeping: 1, limit: 1)
        try await store.audit.sweep(before: fixture.clock.now.wall, limit: 10)
        _ = try await store.attempts.peek([BudgetKey("b")], at: OriginLevels(alone: "a"))
        _ = try await store.attempts.unlock(BudgetKey("s"), events: [])
        try await store.attempts.sweep(limit: 10)
        try await store.flows.sweep(limit: 10)
        try await store.sessions.sweep(limit: 10)
        try await store.families.sweep(limit: 10)
        try await store.users.setEnabled(user.id, false)
        try await store.users.delete(user.id)
        try await store.clients.remove("c")
        let plans = try #require(StatementPlans.current)
        #expect(plans.statements.count > 60)
        #expect(try await store.check().isEmpty)
    }
}
