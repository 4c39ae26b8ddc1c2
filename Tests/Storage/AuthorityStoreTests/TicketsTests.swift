import DurableSQLite
import FlowModel
import Foundation
import Moments
import TestSupport
import Testing

@testable import AuthorityStore

@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct TicketsTests {
    private func ticket(_ fixture: StoreFixture, browser: String? = nil) -> TicketRow {
        TicketRow(
            hash: "h1",
            owner: .browser(session: "s1"),
            browser: browser,
            body: Data("{}".utf8),
            expires: Deadline(.seconds(60), after: fixture.clock.now)
        )
    }

    @Test("a ticket is found until it expires, and then deleted") func life() async throws {
        let fixture = try StoreFixture()
        let tickets = fixture.store.tickets
        try await tickets.insert(ticket(fixture, browser: "b1"))
        #expect(try await tickets.get("h1") == ticket(fixture, browser: "b1"))
        #expect(try await tickets.get("h2") == nil)
        fixture.clock.advance(by: .seconds(61))
        #expect(try await tickets.get("h1") == nil)
        #expect(try await tickets.sweep(limit: 10) == 1)
    }

    @Test("of two browsers at two daemons that claim a ticket, one gets it") func claim() async throws {
        let fixture = try StoreFixture()
        try await fixture.store.tickets.insert(ticket(fixture))
        let second = try AuthorityStore.open(StoreFixture.options(fixture.folder, fixture.clock))
        async let one = fixture.store.tickets.claim("h1", browser: "b1")
        async let two = second.tickets.claim("h1", browser: "b2")
        let claimed = try await [one, two]
        #expect(claimed.filter { $0 }.count == 1)
        #expect(try await fixture.store.tickets.get("h1")?.browser == (claimed[0] ? "b1" : "b2"))
    }

    @Test(
        "of two requests at two daemons that change a ticket's cookie, one succeeds, and it must name the previous cookie"
    )
    func hand() async throws {
        let fixture = try StoreFixture()
        try await fixture.store.tickets.insert(ticket(fixture, browser: "b1"))
        let second = try AuthorityStore.open(StoreFixture.options(fixture.folder, fixture.clock))
        let body = Data("{\"a\":1}".utf8)
        async let one = fixture.store.tickets.hand("h1", from: "b1", to: "b2", body: body)
        async let two = second.tickets.hand("h1", from: "b1", to: "b3", body: body)
        let handed = try await [one, two]
        #expect(handed.filter { $0 }.count == 1)
        let row = try await second.tickets.get("h1")
        #expect(row?.browser == (handed[0] ? "b2" : "b3") && row?.body == body)
        #expect(try await second.tickets.hand("h1", from: "b1", to: "b4", body: body) == false)
    }

    @Test("a browser's new cookie takes over the sessions of its user, and ends those of all others")
    func handOver() async throws {
        let fixture = try StoreFixture()
        let (old, new) = (Owner.browser(session: "old"), Owner.browser(session: "new"))
        for (id, user) in [("a", "ada"), ("b", "bob")] {
            let row = fixture.session(id, UserID(oid: user), owner: old)
            let core = fixture.store.core
            try await core.database.write { db in try AuthorityStore.Sessions(core: core).upsert(db, row) }
        }
        try await fixture.store.sessions.handOver([SessionHandOver(from: old, to: new, of: UserID(oid: "ada"))])
        #expect(try await fixture.store.sessions.live(owner: new).map(\.id) == ["a"])
        #expect(try await fixture.store.sessions.live(owner: old) == [])
    }
}
