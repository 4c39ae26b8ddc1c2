import DurableSQLite
import FlowModel
import GRDB
import Moments
import OAuth
import TestSupport
import Testing

@testable import AuthorityStore

@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct AuditTests {
    let fixture: StoreFixture
    var store: AuthorityStore { fixture.store }

    init() throws {
        fixture = try StoreFixture()
    }

    private func append(_ kind: AuditKind, _ count: Int64) async throws {
        try await store.audit.append((0..<count).map { _ in fixture.event(kind) })
    }

    @Test("frequent events of a uid are counted beyond their budget, and important ones are stored") func flood()
        async throws
    {
        try await append(.flowStarted, AuditBudget.most + 5)
        try await append(.signInFailed, 2)
        try await store.audit.append([
            AuditEvent(.flowStarted, owner: StoreFixture.other, correlationID: .random())
        ])
        let rows = try await store.audit.all(limit: 1000)
        #expect(rows.count == Int(AuditBudget.most) + 3)
        #expect(rows.map(\.sequence) == Array(1...Int64(rows.count)))
        fixture.clock.advance(by: AuditBudget.period)
        try await append(.flowStarted, 1)
        let later = try await store.audit.all(since: Int64(rows.count), limit: 10)
        #expect(later.map(\.event) == ["audit.suppressed", "flow.started"])
        #expect(later.first?.detail == ["count": "5", "budget": "requests"])
        #expect(later.first?.uid == 1000)
    }

    @Test(
        "an event of every kind observes its budget, or has a reason to be stored always",
        arguments: AuditKind.allCases
    )
    func bound(_ kind: AuditKind) async throws {
        // Every budget has room for only five more events, so some are suppressed and the record names the budget.
        let ends = fixture.clock.now.wall + AuditBudget.period.milliseconds
        try await store.core.database.write { db in
            for budget in AuditKind.Budget.allCases {
                try db.run(
                    "INSERT INTO audit_budgets (owner, budget, ends, used) VALUES (:owner, :budget, :ends, :used)",
                    [
                        "owner": StoreFixture.owner.key, "budget": budget.rawValue, "ends": ends,
                        "used": AuditBudget.most - 5,
                    ]
                )
            }
        }
        try await append(kind, 12)
        let kept = Int64(try await store.audit.all(limit: 1000).count)
        fixture.clock.advance(by: AuditBudget.period)
        try await store.audit.sweep(before: 0, limit: 10)
        let told = try await store.audit.all(since: kept, limit: 10)
        switch kind.bound {
        case .budget(let budget):
            #expect(kept == 5)
            #expect(told.map(\.event) == ["audit.suppressed"])
            #expect(told.first?.detail == ["count": "7", "budget": budget.rawValue])
        case .none(let reason):
            #expect(kept == 12)
            #expect(told.isEmpty && !reason.isEmpty)
        }
    }

    @Test("mere requests displace no token events, and token events no requests") func apart() async throws {
        try await append(.signOut, AuditBudget.most + 1)
        try await append(.tokenIssued, AuditBudget.most + 1)
        let kept = try await store.audit.all(limit: 1000) + store.audit.all(since: 1000, limit: 1000)
        #expect(kept.count { $0.event == "signout" } == Int(AuditBudget.most))
        #expect(kept.count { $0.event == "token.issued" } == Int(AuditBudget.most))
        fixture.clock.advance(by: AuditBudget.period)
        for _ in 0..<2 { try await store.audit.sweep(before: 0, limit: 10) }
        let told = try await store.audit.all(since: 2 * AuditBudget.most, limit: 10)
        #expect(Set(told.compactMap { $0.detail["budget"] }) == ["requests", "grants"])
    }

    @Test("the number of omitted events is recorded even if the uid sends nothing more") func silent() async throws {
        try await append(.operatorRefused, AuditBudget.most + 1)
        try await store.audit.sweep(before: 0, limit: 10)
        #expect(try await store.audit.all(since: AuditBudget.most, limit: 10).isEmpty)
        fixture.clock.advance(by: AuditBudget.period)
        for _ in 0..<2 { try await store.audit.sweep(before: 0, limit: 10) }
        let rows = try await store.audit.all(since: AuditBudget.most, limit: 10)
        #expect(rows.map(\.event) == ["audit.suppressed"])
    }

    @Test("the total number of events is limited, and the numbers of the remaining ones are consecutive") func capped()
        async throws
    {
        try await append(.signInFailed, 20)
        #expect(try await store.audit.sweep(before: 0, all: 5, limit: 10) == 10)
        #expect(try await store.audit.sweep(before: 0, all: 5, limit: 10) == 5)
        #expect(try await store.audit.all(limit: 100).map(\.sequence) == [16, 17, 18, 19, 20])
        #expect(try await store.audit.missing() == 0)
    }

    @Test("a uid with too many events loses its own oldest, in batches, and others lose none") func cappedOwner()
        async throws
    {
        try await append(.signInFailed, 3)
        try await store.audit.append([AuditEvent(.signInFailed, owner: StoreFixture.other, correlationID: .random())])
        try await store.audit.append([AuditEvent(.signInFailed, correlationID: .random())])
        try await append(.signInFailed, 4)
        #expect(try await store.audit.sweep(before: 0, keeping: 2, limit: 3) == 3)
        #expect(try await store.audit.all(limit: 100).map(\.sequence) == [4, 5, 6, 7, 8, 9])
        #expect(try await store.audit.sweep(before: 0, keeping: 2, limit: 3) == 2)
        #expect(try await store.audit.sweep(before: 0, keeping: 2, limit: 3) == 0)
        #expect(try await store.audit.query(owner: StoreFixture.owner, limit: 100).map(\.sequence) == [8, 9])
        #expect(try await store.audit.all(limit: 100).map(\.sequence) == [4, 5, 8, 9])
        #expect(try await store.audit.missing() == 0)
        try await append(.signInFailed, 1)
        #expect(try await store.audit.all(since: 9, limit: 100).map(\.sequence) == [10])
    }

    @Test("old events are removed from the beginning, and every missing number is accounted for") func aged()
        async throws
    {
        try await append(.signInFailed, 7)
        try await store.audit.append([AuditEvent(.signInFailed, owner: StoreFixture.other, correlationID: .random())])
        fixture.clock.advance(by: .seconds(60))
        let now = fixture.clock.now.wall
        try await append(.signInFailed, 2)
        #expect(try await store.audit.sweep(before: now, limit: 5) == 5)
        #expect(try await store.audit.sweep(before: now, limit: 5) == 3)
        #expect(try await store.audit.all(limit: 100).map(\.sequence) == [9, 10])
        #expect(try await store.audit.missing() == 0)
        let again = try fixture.reopened()
        #expect(try await again.audit.missing() == 0)
    }

    @Test("a manually deleted event is detected") func tampered() async throws {
        try await append(.signInFailed, 5)
        try await store.core.database.write { db in try db.run("DELETE FROM audit WHERE seq = 3") }
        #expect(try await store.audit.missing() == 1)
    }

    @Test("by default 100,000 events are stored per uid") func standard() {
        #expect(AuthorityStore.Audit.greatestNumberOfOwner == 100_000)
    }

    @Test("setting the wall clock back leaves no gap") func setBack() async throws {
        let before = fixture.clock.now.wall
        try await append(.signInFailed, 2)
        fixture.clock.setWall(by: .seconds(-60))
        try await append(.signInFailed, 2)
        #expect(try await store.audit.sweep(before: before, limit: 10) == 0)
        #expect(try await store.audit.all(limit: 10).map(\.sequence) == [1, 2, 3, 4])
    }
}
