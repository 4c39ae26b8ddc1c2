import DurableSQLite
import FlowModel
import GRDB
import Moments
import OAuth
import Storage
import TestSupport
import Testing

@testable import AuthorityStore

@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct PeopleTests {
    let fixture: StoreFixture
    var store: AuthorityStore { fixture.store }
    private let mail = OutboxMail(to: "ada@example.org", subject: "You are invited", body: Secret("come"))

    init() throws {
        fixture = try StoreFixture()
    }

    private func invite(_ address: String, seconds: Int = 60) async throws {
        let ends = Deadline(.seconds(seconds), after: fixture.clock.now)
        try await store.invitations.invite(address, until: ends, mail: mail, events: [fixture.event(.userInvited)])
    }

    private func code(_ body: () async throws -> Void) async -> StoreError.Code? {
        await #expect(throws: StoreError.self) { try await body() }?.code
    }

    @Test("an invitation is mailed, audited, valid until it expires, and swept") func invitation() async throws {
        try await invite("Ada@example.org")
        #expect(try await store.invitations.has("ada@EXAMPLE.org"))
        #expect(try await !store.invitations.has("bob@example.org"))
        #expect(try await store.outbox.take(limit: 9, lease: .seconds(1)).map(\.mail.subject) == ["You are invited"])
        #expect(try await store.audit.all(limit: 9).map(\.event) == ["user.invited"])
        fixture.clock.advance(by: .seconds(30))
        try await invite("ada@example.org")
        fixture.clock.advance(by: .seconds(45))
        #expect(try await store.invitations.has("ada@example.org"), "the second one counts")
        fixture.clock.advance(by: .seconds(20))
        #expect(try await !store.invitations.has("ada@example.org"))
        #expect(try await store.invitations.sweep(limit: 10) == 1)
    }

    @Test("the user of an address is not invited, and an address without an invitation cannot be uninvited")
    func refused() async throws {
        try await store.users.add(fixture.user("u", "ada@example.org"))
        #expect(await code { try await invite("ADA@example.org") } == .nameTaken)
        #expect(await code { try await store.invitations.withdraw("bob@example.org") } == .notFound)
        #expect(try await store.audit.all(limit: 9).isEmpty)
    }

    @Test("the database contains no invited address in plain text") func sealed() async throws {
        try await invite("ada.planted@example.org")
        let rows = try await store.core.database.read { db in
            try db.rows("/* test */ SELECT * FROM invitations").map(\.description)
        }
        #expect(rows.count == 1 && !rows.joined().contains("planted"))
    }

    @Test("users are added to groups and removed, and a group without members does not exist") func groups()
        async throws
    {
        let (ada, bob) = (fixture.user("a", "ada@example.org"), fixture.user("b", "bob@example.org"))
        for user in [ada, bob] { try await store.users.add(user) }
        let epoch = try await store.epoch()
        for user in [ada, bob, ada] { _ = try await store.groups.add(user.id, to: "admins") }
        _ = try await store.groups.add(ada.id, to: "Zoo", events: [fixture.event(.groupAdded)])
        #expect(try await store.epoch() == epoch + 3)
        #expect(try await store.groups.list().map(\.group) == ["Zoo", "admins"])
        #expect(try await store.groups.get("admins")?.count == 2)
        #expect(try await store.groups.members(of: "admins", limit: 9) == [ada.id, bob.id])
        #expect(try await store.groups.members(of: "admins", after: ada.id, limit: 9) == [bob.id])
        #expect(try await store.users.find(signInName: "ada@example.org")?.groups == ["Zoo", "admins"])
        try await store.groups.remove(bob.id, from: "admins")
        #expect(await code { try await store.groups.remove(bob.id, from: "admins") } == .notFound)
        #expect(await code { _ = try await store.groups.add(UserID(oid: "ghost"), to: "admins") } == .notFound)
        try await store.users.delete(ada.id)
        #expect(try await store.groups.list().isEmpty)
        #expect(try await store.audit.missing() == 0)
    }

    @Test("a user is in no more groups than a token can contain") func tooMany() async throws {
        let user = fixture.user("a", "ada@example.org")
        try await store.users.add(user)
        let most = AuthorityStore.Groups.greatestNumberOfUser
        for number in 0..<most { _ = try await store.groups.add(user.id, to: "g\(number)") }
        #expect(await code { _ = try await store.groups.add(user.id, to: "more") } == .limitExceeded)
        #expect(try await store.groups.list().count == Int(most))
    }
}
