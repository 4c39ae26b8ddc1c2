import DurableSQLite
import Foundation
import TestSupport
import Testing

@testable import AuthorityStore

/// Tests that all attempts of every user count as used up after the store has lost charges.
@Suite(.timeLimit(.minutes(1)))
struct SpentAttemptsTests {
    private let fixture: StoreFixture
    private var store: AuthorityStore { fixture.store }
    private let subject = BudgetKey("ada")

    init() throws {
        fixture = try StoreFixture()
    }

    private func window(_ name: String, _ seconds: Int, subject: BudgetKey?) -> Charge {
        Charge(key: BudgetKey(name), subject: subject, rule: .window(max: 3, period: .seconds(seconds)))
    }

    private func block(_ name: String) -> Charge {
        Charge(
            key: BudgetKey(name),
            subject: subject,
            rule: .block(max: 3, block: .seconds(10), factor: 2, longest: .seconds(60))
        )
    }

    private func spend() async throws {
        let now = fixture.clock.now
        try await store.core.database.write { db in try AuthorityStore.Budgets.spend(db, at: now) }
    }

    private func wait(_ charges: Charge...) async throws -> Int64 {
        switch try await store.attempts.charge(charges) {
        case .charged: 0
        case .blocked(_, let retryAfterMs): retryAfterMs
        }
    }

    @Test("each window counts as used up for its own length, even without charges, and then starts again")
    func windows() async throws {
        try await spend()
        #expect(try await wait(block("own")) == 10_000)
        #expect(try await wait(window("hour", 3600, subject: subject)) == 3_600_000)
        #expect(try await wait(window("day", 86_400, subject: subject)) == 86_400_000)
        fixture.clock.advance(by: .seconds(10))
        #expect(try await wait(block("own")) == 0)
        #expect(try await wait(window("hour", 3600, subject: subject)) == 3_590_000)
        fixture.clock.advance(by: .seconds(3590))
        #expect(try await wait(window("hour", 3600, subject: subject)) == 0)
        fixture.clock.advance(by: .seconds(86_400 - 3600))
        #expect(try await wait(window("day", 86_400, subject: subject)) == 0)
    }

    @Test("limits that protect no user, such as a shared rate, do not count as used up") func rates() async throws {
        try await spend()
        #expect(try await wait(window("everybody", 60, subject: nil)) == 0)
    }

    @Test("an operator restores the attempts of one user, until charges are lost again") func unlocked() async throws {
        try await spend()
        try await store.attempts.unlock(subject, events: [])
        #expect(try await wait(block("own"), window("day", 86_400, subject: subject)) == 0)
        #expect(try await wait(window("day of ben", 86_400, subject: BudgetKey("ben"))) == 86_400_000)
        try await spend()
        #expect(try await wait(block("own")) == 10_000)
    }

    @Test("nothing of it is left after a day") func swept() async throws {
        try await spend()
        try await store.attempts.unlock(subject, events: [])
        fixture.clock.advance(by: .seconds(86_401))
        #expect(try await store.attempts.sweep(limit: 10) == 2)
    }
}
