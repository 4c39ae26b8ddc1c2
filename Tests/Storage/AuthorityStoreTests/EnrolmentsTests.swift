import DurableSQLite
import FlowModel
import Foundation
import Moments
import OAuth
import TestSupport
import Testing

@testable import AuthorityStore

@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct EnrolmentsTests {
    private func set(_ secret: String, at owner: Owner, _ fixture: StoreFixture) async throws {
        let enrolment = Enrolment(
            .pin,
            of: UserID(oid: "ada"),
            at: owner,
            secret: Secret(secret),
            enrolledAt: fixture.clock.now.wall
        )
        let enrolments = fixture.store.enrolments
        try await fixture.store.core.database.write { db in try enrolments.set(db, enrolment) }
    }

    @Test("a user has one credential of a kind per owner, and a new one replaces it there only")
    func one() async throws {
        let fixture = try StoreFixture()
        let user = UserID(oid: "ada")
        let enrolments = fixture.store.enrolments
        try await set("first", at: StoreFixture.owner, fixture)
        try await set("second", at: StoreFixture.owner, fixture)
        try await set("other", at: StoreFixture.other, fixture)
        #expect(try await enrolments.find(.pin, of: user, at: StoreFixture.owner)?.secret == Secret("second"))
        #expect(try await fixture.store.enrolled(of: user, at: StoreFixture.owner).count == 1)
        #expect(try await enrolments.find(.password, of: user, at: StoreFixture.owner) == nil)
        #expect(try await enrolments.remove(.pin, of: user, at: StoreFixture.owner))
        #expect(try await !enrolments.remove(.pin, of: user, at: StoreFixture.owner))
        #expect(try await enrolments.find(.pin, of: user, at: StoreFixture.other)?.secret == Secret("other"))
    }

    @Test("a deleted user leaves no credential") func deleted() async throws {
        let fixture = try StoreFixture()
        try await fixture.store.users.add(fixture.user("ada", "ada@example.org"))
        try await set("first", at: StoreFixture.owner, fixture)
        try await fixture.store.users.delete(UserID(oid: "ada"))
        #expect(try await fixture.store.enrolments.find(.pin, of: UserID(oid: "ada"), at: StoreFixture.owner) == nil)
    }

    @Test(
        "the charge that blocks withholds the credential until it is refunded or a new one is set"
    )
    func withheld() async throws {
        let fixture = try StoreFixture()
        let (user, owner, enrolments) = (UserID(oid: "ada"), StoreFixture.owner, fixture.store.enrolments)
        let name = EnrolmentName(.pin, of: user, at: owner)
        func charge(_ budget: String, block: Duration) async throws {
            let rule = Charge.Rule.block(max: 2, block: block, factor: 2, longest: .seconds(60))
            let charge = Charge(key: BudgetKey(budget), subject: nil, rule: rule)
            _ = try await fixture.store.attempts.charge([charge], withholding: name)
        }
        try await set("first", at: owner, fixture)
        try await set("other", at: StoreFixture.other, fixture)
        for _ in 0..<2 { try await charge("no block", block: .zero) }
        try await charge("own", block: .seconds(10))
        #expect(try await enrolments.find(.pin, of: user, at: owner) != nil)
        try await charge("own", block: .seconds(10))
        #expect(try await enrolments.find(.pin, of: user, at: owner) == nil)
        #expect(try await enrolments.findWithheld(.pin, of: user, at: owner)?.secret == Secret("first"))
        #expect(try await fixture.store.enrolled(of: user, at: owner).isEmpty)
        #expect(try await enrolments.find(.pin, of: user, at: StoreFixture.other) != nil)
        try await enrolments.giveBack(try #require(try await enrolments.findWithheld(.pin, of: user, at: owner)))
        #expect(try await enrolments.find(.pin, of: user, at: owner)?.secret == Secret("first"))
        for _ in 0..<2 { try await charge("another", block: .seconds(10)) }
        #expect(try await enrolments.find(.pin, of: user, at: owner) == nil)
        try await set("second", at: owner, fixture)
        #expect(try await enrolments.find(.pin, of: user, at: owner)?.secret == Secret("second"))
        #expect(try await fixture.store.enrolled(of: user, at: owner).count == 1)
        #expect(try await enrolments.findWithheld(.pin, of: user, at: owner) == nil)
    }
}
